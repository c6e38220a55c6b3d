-- include write-deadline.lua

-- Notes a deadline. Nothing fails if the slot moves to another node and the hash is not here: made anew, it could not follow.
local function note(field, life, now)
  if type(redis.pcall('exists', KEYS[1], KEYS[4])) ~= 'table' then write_deadline(field, life, now) end
end
