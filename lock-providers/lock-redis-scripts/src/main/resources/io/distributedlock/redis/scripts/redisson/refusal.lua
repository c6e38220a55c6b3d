-- include keys.lua
-- include beside.lua

local behind = -2305843009213693952

-- What an attempt answers that finds the lock taken: something else if somebody who uses Redisson by hand has it.
local function refusal()
  if not string.find(table.concat(redis.call('hkeys', KEYS[1]), ' '), ':', 1, true) then return 0 end
  end_moment()
  return behind
end
