-- include present.lua
local answer = {}

local function add(owner, kind, left)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = owner, kind, string.format('%.0f', left)
end

-- Adds owners who were in a set sorted by the ends of their leases. Those whose lease has expired are left out. Code that
-- uses Redisson by hand has one number for a permit without an end.
local function add_all(owners, kind)
  local now = present()
  for i = 1, #owners, 2 do
    local till = tonumber(owners[i + 1])
    if till > now then add(owners[i], kind, till < 922337203685477 and till - now or -1) end
  end
end
