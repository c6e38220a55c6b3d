-- Lets a set expire with its last owner.
local function expire_with_last()
  local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')
  if last[2] then redis.call('pexpireat', KEYS[1], last[2]) end
end
