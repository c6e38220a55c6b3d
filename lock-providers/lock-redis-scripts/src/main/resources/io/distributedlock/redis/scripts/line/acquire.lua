-- include keys.lua
-- include grant.lua

local ms, tokens, keep, known = string.match(ARGV[2], '^(%d+) (%d+) ?(%d*) ?(%d*)$')
local busy = is_busy()
-- while the slot moves to another node, a key that is not here is an error; a free lock may be for others
if busy == 0 and not string.find(known, '3', 1, true) then
  local token = next_tokens(tokens, ms, redis.call('time'))
  take(ARGV[1], ms)
  return free_sign * token
end

-- include hand-over.lua
-- include say-alive.lua
-- include stands.lua
-- include join.lua

if is_refused(ARGV[1]) then return 0 end
local token
local holder = or_others(read_holder())
if type(holder) == 'table' then return holder end
if not holder then
  holder, token = hand_over(1)
  if type(holder) == 'table' then return holder end
  leave_queue()
end
if holder and holder ~= ARGV[1] then
  if keep == '' then return 0 end
  -- a line that is on the other node could not follow if it were begun here
  if type(busy) == 'table' then return busy end
  local entry = ARGV[1] .. ' ' .. tokens .. ' ' .. keep
  local told, id = string.match(holder, '^([^.]+)%.(%S+)$')
  local most = string.find(known, '2', 1, true) and 0 or 256
  if not stands(entry, most) and join(entry, keep) and told then redis.pcall('publish', channels .. told, id) end
  if not string.find(known, '1', 1, true) then say_alive(keep) end
  return told and -4611686018427387904 or holder == '+' and -1152921504606846976 or -2305843009213693952
end
if holder then ms = math.max(tonumber(ms), redis.call('pttl', KEYS[1])) end
token = token or next_tokens(tokens, ms, redis.call('time'))
take(ARGV[1], ms)
return -token
