-- How Redisson publishes the release of a lock on a cluster of Redis 7.
local function publish(channel, message) return redis.pcall('spublish', channel, message) end

-- Returns how many listen to two channels of Redisson, or nil if that cannot be found out. Unlike the number of receivers it
-- leaves out those that listen to a pattern: they wait for no lock.
local function listeners(channel, other)
  local counts = redis.pcall('pubsub', 'shardnumsub', channel, other)
  return counts[2] and counts[2] + counts[4]
end
