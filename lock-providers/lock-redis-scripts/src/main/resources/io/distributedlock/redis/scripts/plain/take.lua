-- include read-holder.lua

local holder = read_holder()
if type(holder) == 'table' then return holder end
if holder and holder ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
