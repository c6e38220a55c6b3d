-- include now.lua
-- include expire-with-last.lua

-- Removes readers whose lease has expired, and finds out whether one owner has the key exclusively.
local dropped = redis.pcall('zremrangebyscore', KEYS[1], '-inf', now)
local exclusive = type(dropped) == 'table'
if exclusive then
  if not string.find(dropped.err, 'WRONGTYPE') then return dropped end
  if type(redis.pcall('get', KEYS[1])) == 'table' then return dropped end
end
