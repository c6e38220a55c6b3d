-- include permits.lua

if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end
expire_with_last(0)
local unheard
if redis.call('del', KEYS[2]) == 1 then unheard = type(redis.pcall('publish', ARGV[2], '')) == 'table' end
return unheard and 2 or 1
