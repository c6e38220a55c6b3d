-- include permits.lua

collect()
local had = redis.call('zrem', KEYS[2], ARGV[1])
if had == 1 and redis.call('exists', KEYS[1]) == 1 then tell_free(redis.call('incrby', KEYS[1], 1)) end
if had == 1 and not heard then had = 2 end
if KEYS[3] then redis.pcall('set', KEYS[3], 1, 'PX', 120000) end
return had
