-- include hand-over.lua
-- include say-alive.lua
-- include stands.lua

local now, till, time = say_alive(ARGV[2])
local there = stands(ARGV[3], 0) and 1 or 0
local holder = or_others(read_holder())
if type(holder) == 'table' then return holder end
if not holder then
  holder = hand_over(1)
  if type(holder) == 'table' then return holder end
  leave_queue()
end
-- not for a place that was left meanwhile: nobody would take the line out of the queue again
if there == 1 then join_queue(holder, now, till) end
local jvm, id = string.match(holder or '', '^([^.]+)%.(%S+)$')
if jvm ~= string.match(ARGV[1], '^[^.]+') then id = holder == '+' and '+' or holder and not jvm and stranger or '-' end
local seen = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('get', KEYS[2]) or 0))
return string.format('%d %.0f %d %s', redis.call('pttl', KEYS[1]), seen, there, id)
