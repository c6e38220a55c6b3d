-- include owners-answer.lua

-- readers are listed by another script, whose keys nobody can name in advance
if redis.call('hget', KEYS[1], 'mode') == 'read' then return { 'READ' } end
local fields = redis.call('hgetall', KEYS[1])
local left = redis.call('pttl', KEYS[1])
for i = 1, #fields, 2 do
  local owner, holds = fields[i], tonumber(fields[i + 1])
  if holds and redis.call('hexists', KEYS[1], owner .. ':write') == 0 then add(owner, 'EXCLUSIVE', left) end
end
return answer
