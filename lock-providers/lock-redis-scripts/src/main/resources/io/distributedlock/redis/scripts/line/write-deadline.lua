-- Writes a deadline into the hash beside the line, which lives as long. Nothing fails if the memory is full.
local function write_deadline(field, life, now)
  -- first, as a user without the right fails here and has written nothing
  local new = redis.call('pttl', KEYS[4]) < life and redis.call('pexpire', KEYS[4], life) == 0
  redis.pcall('hset', KEYS[4], field, now + life)
  if new then redis.call('pexpire', KEYS[4], life) end
end
