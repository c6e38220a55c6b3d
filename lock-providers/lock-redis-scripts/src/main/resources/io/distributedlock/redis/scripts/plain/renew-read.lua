-- Keys: the lock, and the hash beside its line, which a client for clusters does not declare.
if not KEYS[2] then KEYS[2] = table.remove(ARGV) end
-- include shares.lua

if exclusive then
  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('del', KEYS[1])
elseif not redis.call('zscore', KEYS[1], ARGV[1]) then
  return 0
end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
expire_with_last()
if exclusive and redis.call('hdel', KEYS[2], '') == 1 then redis.pcall('publish', KEYS[1], '') end
return 1
