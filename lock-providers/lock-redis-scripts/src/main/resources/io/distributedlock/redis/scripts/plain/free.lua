-- Deletes the lock, and tells those who wait and are not in the line. Returns whether the server refuses to publish.
local function free()
  redis.call('del', KEYS[1])
  -- an error if the slot moves to another node, and the hash is not here: somebody may wait
  return redis.pcall('hdel', KEYS[4], '') ~= 0 and type(redis.pcall('publish', KEYS[1], '')) == 'table'
end
