-- Returns the owner, false if there is none, or something that is no owner's name for readers. An owner who likely has the lock
-- is looked for first.
local function read_holder(likely)
  if likely and redis.call('hexists', KEYS[1], likely) == 1 then return likely end
  local length = redis.call('hlen', KEYS[1])
  if length == 0 then return false end
  -- more fields are those of readers, of whom there may be thousands
  if length > 2 then return '' end
  local fields = redis.call('hgetall', KEYS[1])
  if length == 1 then return fields[1] end
  if fields[1] == 'mode' then return fields[2] == 'write' and fields[3] or '' end
  return fields[3] == 'mode' and fields[4] == 'write' and fields[1] or ''
end
