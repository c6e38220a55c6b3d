-- Tells the first in the line to look who has the lock. Returns whether there is one.
local function wake_line()
  local head = redis.pcall('lindex', KEYS[3], 0)
  local first, place = string.match(type(head) == 'string' and head or '', '^([^.]+)%.(%S+)')
  if first then redis.pcall('publish', channels .. first, place .. ' look') end
  return first
end
