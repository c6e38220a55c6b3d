-- Lets a set expire with its last owner. Also called before an owner is added: a user without the rights fails there.
local function expire_with_last()
  local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')
  redis.call('pexpire', KEYS[1], (last[2] or now) - now)
end
