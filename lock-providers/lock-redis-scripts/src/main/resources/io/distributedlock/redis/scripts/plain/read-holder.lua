-- Returns the owner, false if there is none, something that is no owner's name for readers, or an error to answer with.
local function read_holder()
  local holder = redis.pcall('get', KEYS[1])
  if type(holder) ~= 'table' then return holder end
  if not string.find(holder.err, 'WRONGTYPE', 1, true) then return holder end
  if type(redis.pcall('zcard', KEYS[1])) == 'table' then return holder end
  return ''
end
