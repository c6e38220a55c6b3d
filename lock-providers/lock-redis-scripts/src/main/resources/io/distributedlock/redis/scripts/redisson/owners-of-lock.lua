-- include owners-answer.lua

local fields = redis.call('hgetall', KEYS[1])
local left = redis.call('pttl', KEYS[1])
local shared = redis.call('hget', KEYS[1], 'mode') == 'read'
for i = 1, #fields, 2 do
  local owner, holds = fields[i], tonumber(fields[i + 1])
  if shared then
    local alive = 0
    for hold = 1, holds or 0 do
      alive = math.max(alive, redis.call('pttl', ARGV[1] .. owner .. ARGV[2] .. hold))
    end
    if alive > 0 then add(owner, 'READ', math.min(alive, left)) end
  elseif holds and redis.call('hexists', KEYS[1], owner .. ':write') == 0 then
    add(owner, 'EXCLUSIVE', left)
  end
end
return answer
