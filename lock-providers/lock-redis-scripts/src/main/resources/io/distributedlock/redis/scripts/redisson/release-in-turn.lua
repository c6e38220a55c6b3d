-- include keys.lua
-- include channels.lua
-- include beside.lua
-- include first-alive.lua

local had = redis.call('hexists', KEYS[1], ARGV[1])
if had == 1 then redis.call('del', KEYS[1]) end
local left = redis.call('lrem', KEYS[5], 0, ARGV[1])
redis.call('zrem', KEYS[6], ARGV[1])
if had + left > 0 and redis.call('exists', KEYS[1]) == 0 then
  local first = first_alive()
  local heard = not first or type(wake(first)) ~= 'table'
  if not first or had == 1 and time[2] % 4 == 0 then
    local others = publish(channel, 0)
    heard = heard and type(others) ~= 'table'
    local told = (tonumber(others) or 0) + (tonumber(publish(shared_channel, 1)) or 0)
    if told > 0 and listeners(channel, shared_channel) ~= 0 then begin_moment() end
  end
  if not heard then had = had * 2 end
end
if ARGV[2] then forget(ARGV[1]) end
return had
