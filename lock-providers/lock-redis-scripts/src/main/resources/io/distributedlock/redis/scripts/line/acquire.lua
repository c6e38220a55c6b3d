-- include keys.lua
-- include grant.lua

local ms, tokens, keep, known = string.match(ARGV[2], '^(%d+) (%d+) ?(%d*) ?(%d*)$')
local sign, token = free_sign, nil
local busy = is_busy()
-- while the slot moves to another node, a key that is not here is an error; a free lock may be for others
if type(busy) == 'table' or busy > 0 or string.find(known, '3', 1, true) then
-- include hand-over.lua
-- include say-alive.lua
-- include stands.lua
-- include join.lua
  if is_refused(ARGV[1]) then return 0 end
  local holder = or_others(read_holder())
  if type(holder) == 'table' then return holder end
  if not holder then
    holder, token = hand_over(1)
    if type(holder) == 'table' then return holder end
    leave_queue()
  end
  local mine = holder == ARGV[1]
  if holder and not mine then
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
  sign = -1
  if mine then ms = math.max(tonumber(ms), redis.call('pttl', KEYS[1])) end
end
token = token or next_tokens(tokens, ms, redis.call('time'))
take(ARGV[1], ms)
return sign * token
