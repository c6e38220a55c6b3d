-- include hand-over.lua
-- include shares.lua

if exclusive or redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('zcard', KEYS[1]) > 0 then
  expire_with_last(0)
  return 1
end
local granted = hand_over(1)
if type(granted) == 'table' then return granted end
if not granted then leave_free() end
return unheard and 2 or 1
