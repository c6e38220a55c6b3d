-- include read-holder.lua

local holder = read_holder()
if type(holder) == 'table' then return holder end
if holder == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
