-- Adds an entry to the line, and returns whether the line is new.
local function join(entry, keep)
  if redis.call('rpush', KEYS[3], entry) > 1 then return false end
  -- a user without the right fails, and leaves no line that would stay for good
  if type(redis.pcall('pexpire', KEYS[3], keep * 3)) == 'table' then
    redis.call('del', KEYS[3])
    redis.call('pexpire', KEYS[3], keep * 3)
  end
  return true
end
