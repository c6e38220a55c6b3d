-- include permits.lua

if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  redis.pcall('set', KEYS[2], 1, 'PX', 600000)
  return 0
end
expire_with_last()
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
expire_with_last()
return 1
