-- include owners-answer.lua

if redis.call('hget', KEYS[1], 'mode') ~= 'read' then return answer end
local fields = redis.call('hgetall', KEYS[1])
local left = redis.call('pttl', KEYS[1])
for i = 1, #fields, 2 do
  local alive = 0
  for hold = 1, tonumber(fields[i + 1]) or 0 do
    alive = math.max(alive, redis.call('pttl', ARGV[1] .. fields[i] .. ARGV[2] .. hold))
  end
  if alive > 0 then add(fields[i], 'READ', math.min(alive, left)) end
end
return answer
