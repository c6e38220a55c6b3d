-- include renewals.lua

-- ten times:
add(redis.call('hexists', KEYS[1], ARGV[1]) == 1 and redis.call('pexpire', KEYS[1], ARGV[2]) == 1,
    redis.pcall('exists', KEYS[2]))
if not KEYS[3] then return answer end
