-- include hand-over.lua

local had = redis.call('lrem', KEYS[3], 0, ARGV[2])
local holder = read_holder()
if type(holder) == 'table' then return holder end
if holder == ARGV[1] then
  had = 1
  local granted = hand_over(1)
  if type(granted) == 'table' then return granted end
  if not granted then leave_free() end
end
after_leaving(had, holder)
if ARGV[3] then forget(ARGV[1]) end
return unheard and 2 or had > 0 and 1 or 0
