-- Whether somebody who uses Redisson by hand has the lock.
local function is_by_hand()
  return string.find(table.concat(redis.call('hkeys', KEYS[1]), ' '), ':', 1, true)
end
