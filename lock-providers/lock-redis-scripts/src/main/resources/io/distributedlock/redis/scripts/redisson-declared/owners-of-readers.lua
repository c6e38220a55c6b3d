-- include owners-answer.lua

-- readers that have died are among them until the lock ends
if redis.call('hget', KEYS[1], 'mode') ~= 'read' then return answer end
local fields = redis.call('hgetall', KEYS[1])
local left = redis.call('pttl', KEYS[1])
for i = 1, #fields, 2 do
  if tonumber(fields[i + 1]) then add(fields[i], 'READ', left) end
end
return answer
