-- include hand-over.lua
-- include next-grants.lua
-- include say-alive.lua
-- include join.lua

local holder = read_holder(ARGV[1])
if type(holder) == 'table' then return holder end
if holder ~= ARGV[1] then return '0 0' end
local ms, tokens, keep, known = string.match(ARGV[4], '^(%d+) (%d+) (%d+) ?(%d*)$')
local wants = not is_refused(ARGV[3])
local grants = next_grants(ARGV[2])
local granted = grants and hand_over(grants)
if type(granted) == 'table' then return granted end
if grants and wants and not granted and may_stay() then
  local token = next_tokens(tokens, ms, redis.call('time'))
  take(ARGV[3], ms)
  return string.format('1 %.0f', free_sign * token)
end
if not granted then
  free_for_others(grants)
  wants = false
end
if wants then
  join(ARGV[3] .. ' ' .. tokens .. ' ' .. keep, keep)
  if not string.find(known, '1', 1, true) then say_alive(keep) end
end
return (unheard and '2 ' or '1 ') .. (wants and '-4611686018427387904' or '0')
