-- Notes a deadline in the hash beside the line. Nothing fails if the memory is full, or if the slot moves to another node and
-- the hash is not here: made anew, it could not follow.
local function note(field, life, now)
  if type(redis.pcall('exists', KEYS[1], KEYS[4])) == 'table' then return end
  if type(redis.pcall('hset', KEYS[4], field, now + life)) ~= 'table' and redis.call('pttl', KEYS[4]) < life then
    redis.call('pexpire', KEYS[4], life)
  end
end
