-- Notes a deadline in the hash beside the line. Nothing fails if the memory is full.
local function note(field, life, now)
  if type(redis.pcall('hset', KEYS[4], field, now + life)) ~= 'table' and redis.call('pttl', KEYS[4]) < life then
    redis.call('pexpire', KEYS[4], life)
  end
end
