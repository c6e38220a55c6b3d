-- include permits.lua

collect()
if not redis.call('zscore', KEYS[2], ARGV[1]) then return 0 end
redis.call('zadd', KEYS[2], 'XX', now + ARGV[2], ARGV[1])
expire_after_last(0)
return 1
