-- include shares.lua

if exclusive or not redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end
redis.call('zadd', KEYS[1], 'XX', now + ARGV[2], ARGV[1])
expire_with_last(0)
return 1
