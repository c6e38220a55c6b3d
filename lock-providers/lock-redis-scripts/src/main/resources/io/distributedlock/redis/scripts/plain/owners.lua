-- include owners-answer.lua

-- commands for sets run only if there is a set, since a user for exclusive locks has no right to them
local holder = redis.pcall('get', KEYS[1])
if type(holder) == 'string' then
  add(holder, 'EXCLUSIVE', redis.call('pttl', KEYS[1]))
elseif type(holder) == 'table' then
  if not string.find(holder.err, 'WRONGTYPE', 1, true) then return holder end
  add_all(redis.call('zrange', KEYS[1], 0, -1, 'WITHSCORES'), 'READ')
end
if KEYS[2] and redis.call('exists', KEYS[2]) == 1 then
  add_all(redis.call('zrange', KEYS[2], 0, -1, 'WITHSCORES'), 'SEMAPHORE')
end
return answer
