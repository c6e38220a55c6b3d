-- Returns whether an entry is among the last of the line.
local function stands(entry, most)
  local found = redis.pcall('lpos', KEYS[3], entry, 'RANK', -1, 'MAXLEN', most)
  if type(found) ~= 'table' then return found ~= false end
  -- LPOS came with Redis 6.0.6; other errors come again
  if not string.find(found.err, 'nknown', 1, true) then redis.call('lpos', KEYS[3], entry) end
  for _, each in ipairs(redis.call('lrange', KEYS[3], most > 0 and -most or 0, -1)) do
    if each == entry then return true end
  end
  return false
end
