local highest = tonumber(redis.call('get', KEYS[2]) or '0')
if highest > tonumber(ARGV[1]) then return highest end
redis.call('set', KEYS[2], ARGV[1])
if ARGV[2] then redis.call('set', KEYS[1], ARGV[2]) else redis.call('del', KEYS[1]) end
return 0
