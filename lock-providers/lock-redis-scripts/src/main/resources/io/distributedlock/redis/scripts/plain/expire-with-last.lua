-- Lets a set expire with its last owner, and not before a lease of one who is added next. Returns whether there is a set.
local function expire_with_last(lease)
  local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')
  return redis.call('pexpire', KEYS[1], math.max((last[2] or now) - now, lease)) == 1
end
