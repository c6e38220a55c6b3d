-- The time until the lock expires, 0 if nobody reads. A service in front of a cluster wants each key named, so the script cannot
-- look which readers live: one that has died keeps the lock until then.
local function last_reader()
  return redis.call('hlen', KEYS[1]) > 1 and math.max(redis.call('pttl', KEYS[1]), 1) or 0
end
