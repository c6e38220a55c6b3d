-- include publish.lua
-- include now.lua
-- Keys: the number of free permits, the owners by the ends of their leases, the mark of an owner that was removed. Arguments:
-- owner, lease, the time after the last lease, the number of permits, the channels of Redisson's waiters and of ours.

local by_hand = redis.call('pttl', KEYS[1]) == -1
local heard = true

local function tell_free(free)
  if free < 1 then return end
  heard = type(publish(ARGV[5], free)) ~= 'table'
  heard = type(publish(ARGV[6], 0)) ~= 'table' and heard
end

-- Releases permits whose lease has expired.
local function collect()
  local ended = redis.call('zremrangebyscore', KEYS[2], '-inf', now)
  if ended > 0 and redis.call('exists', KEYS[1]) == 1 then tell_free(redis.call('incrby', KEYS[1], ended)) end
end

-- Lets both expire some time after the last lease, also that of an owner who is added next. The set of owners is the later
-- one: without it, permits that are counted as taken would be lost. Returns 0 if there is no set.
local function expire_after_last(lease)
  if by_hand then return end
  local last = redis.call('zrange', KEYS[2], -1, -1, 'WITHSCORES')[2] or now
  local left = math.max(last - now, lease) + ARGV[3]
  redis.call('pexpire', KEYS[1], left)
  return redis.call('pexpire', KEYS[2], left + 1000)
end
