-- include layout.lua
-- include note.lua

-- What an attempt does that found the lock taken and is not in the line. The holder is told.
local function note_waiters(holder, now)
  note('', 600000, now)
  local told, id = string.match(holder, '^([^.]+)%.(%S+)$')
  if told then redis.pcall('publish', channels .. told, id) end
end
