-- Renews up to ten leases. Keys: each lock and its line. A client for clusters sends one lease at a time, and does not
-- declare the line: while a slot moves, a server refuses keys of which one is missing. Services in front of a cluster
-- want each key named, so there is no loop.
if not KEYS[2] then KEYS[2] = table.remove(ARGV) end

local answer = ''
-- the second is an error while the slot moves to another node of a cluster; a lease must not end for that
local function add(renewed, waiting) answer = answer .. (not renewed and 0 or waiting == 0 and 1 or 2) end
