-- include permits.lua

if redis.call('exists', KEYS[3]) == 1 then return 0 end
if redis.call('zcount', KEYS[2], '-inf', now) > 0 then collect() end
local had = redis.call('zscore', KEYS[2], ARGV[1])
if not had then
  local free = tonumber(redis.call('get', KEYS[1]))
  local rest = ARGV[4] - redis.call('zcard', KEYS[2])
  if not free then
    redis.call('set', KEYS[1], rest, 'PX', ARGV[3])
    free = rest
  elseif free < 1 and free ~= rest then
    redis.call('incrby', KEYS[1], rest - free)
    free = rest
    tell_free(free - 1)
  end
  if free < 1 then return 0 end
end
-- first, as a user without the rights fails here and has written no owner
local expires = expire_after_last(tonumber(ARGV[2]))
if not had then redis.call('decrby', KEYS[1], 1) end
redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
if expires == 0 then redis.call('pexpire', KEYS[2], ARGV[2] + ARGV[3] + 1000) end
return 1
