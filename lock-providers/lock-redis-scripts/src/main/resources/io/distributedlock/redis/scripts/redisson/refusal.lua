-- include keys.lua
-- include beside.lua
-- include by-hand.lua

local behind = -2305843009213693952

-- What an attempt outside queues answers that finds the lock taken.
local function refusal()
  if not is_by_hand() then return 0 end
  end_moment()
  return behind
end
