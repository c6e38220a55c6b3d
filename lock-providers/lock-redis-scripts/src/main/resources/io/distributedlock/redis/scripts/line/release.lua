-- include hand-over.lua
-- include next-grants.lua

local holder = read_holder()
if type(holder) == 'table' then return holder end
if holder ~= ARGV[1] then return 0 end
local grants = next_grants(ARGV[2])
local granted = grants and hand_over(grants)
if type(granted) == 'table' then return granted end
if not granted then free_for_others() end
return unheard and 2 or 1
