-- include keys.lua
-- include channels.lua
-- include beside.lua
-- include by-hand.lua
-- include next-token.lua
-- include first-alive.lua

-- How long the owners before this one may take that wait by hand. When Redisson grants one of them the lock, it subtracts the
-- time that this owner could have waited from the times of all owners after it, however long it has waited of that: so five
-- minutes are added, for which an owner by hand waits unless told otherwise. A place that is known looks at the queue only if
-- some time is later than ours could be without that.
local function behind_by_hand(alive, known)
  local last = redis.call('zrange', KEYS[6], -1, -1, 'WITHSCORES')[2]
  if not last or (known and last - now <= tonumber(alive)) then return 0 end
  local till = now
  for _, other in ipairs(redis.call('lrange', KEYS[5], 0, -1)) do
    if other == ARGV[1] then break end
    if string.find(other, ':', 1, true) then till = tonumber(redis.call('zscore', KEYS[6], other) or now) end
  end
  return (till > now) and till - now + 300000 or 0
end

if is_refused(ARGV[1]) then return 0 end
local queues = ARGV[4] ~= '0'
local behind, known = 0, redis.call('zscore', KEYS[6], ARGV[1])
if queues then
  behind = behind_by_hand(ARGV[4], known)
  if known then redis.call('zadd', KEYS[6], now + ARGV[4] + behind, ARGV[1]) end
end
local first = first_alive()
local mine = redis.call('hexists', KEYS[1], ARGV[1]) == 1
local free = redis.call('exists', KEYS[1]) == 0
local next = not first or first == ARGV[1]
if mine or free and next and not is_noted('') then
  local token = next_token(ARGV[3])
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('hset', KEYS[1], ARGV[1], 1, 'mode', 'write')
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('lrem', KEYS[5], 0, ARGV[1])
  redis.call('zrem', KEYS[6], ARGV[1])
  return token
end
local by_hand = is_by_hand()
if by_hand then end_moment() end
if queues then
  if not known then redis.call('zadd', KEYS[6], now + ARGV[4] + behind, ARGV[1]) end
  if not known or not first then redis.call('rpush', KEYS[5], ARGV[1]) end
  local last = redis.call('zrange', KEYS[6], -1, -1, 'WITHSCORES')[2]
  local left = math.max(last - now, 0) + ARGV[3]
  redis.call('pexpire', KEYS[5], left)
  redis.call('pexpire', KEYS[6], left)
  if first and not next and known and free then wake(first) end
  return ((by_hand or behind > 0) and -1 or 0) - (next and (free or by_hand) and 2 or 0)
end
return 0
