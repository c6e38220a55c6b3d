-- include permits.lua

if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  redis.pcall('set', KEYS[2], 1, 'PX', 600000)
  return 0
end
-- first, as a user without the rights fails here and has written nothing
local expires = expire_with_last(tonumber(ARGV[2]))
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
if not expires then redis.call('pexpire', KEYS[1], ARGV[2]) end
return 1
