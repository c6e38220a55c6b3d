-- include keys.lua
-- include read-holder.lua
-- include free.lua

local holder = read_holder(ARGV[1])
if type(holder) == 'table' then return holder end
if holder ~= ARGV[1] then return 0 end
-- nobody is in the line, and no code of another library asks at intervals
if not ARGV[2] and redis.pcall('exists', KEYS[3]) == 0 then return free() and 2 or 1 end

-- include hand-over.lua
-- include next-grants.lua

local grants = next_grants(ARGV[2])
local granted = grants and hand_over(grants)
if type(granted) == 'table' then return granted end
if not granted then free_for_others(grants) end
return unheard and 2 or 1
