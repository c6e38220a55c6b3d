-- include hand-over.lua
-- include first-alive.lua

-- readers are released by another script
if redis.call('hget', KEYS[1], 'mode') == 'read' or redis.call('hlen', KEYS[1]) > 2 then return -1 end
end_moment()
local holder = read_holder()
if holder ~= ARGV[1] then return 0 end
local granted = hand_over(1)
if type(granted) == 'table' then return granted end
if not granted then leave_free() end
-- a user for exclusive locks has no right to the queue
if type(redis.pcall('lindex', KEYS[5], 0)) == 'string' and redis.call('exists', KEYS[1]) == 0 then
  local first = first_alive()
  if first then wake(first) end
end
return unheard and 2 or 1
