-- Removes what has ended from the hash beside the line.
local function forget_gone(now)
  local all = redis.pcall('hgetall', KEYS[4])
  for i = 2, #all, 2 do
    if tonumber(all[i]) < now then redis.pcall('hdel', KEYS[4], all[i - 1]) end
  end
end
