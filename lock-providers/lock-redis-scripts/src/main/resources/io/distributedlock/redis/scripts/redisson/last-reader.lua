-- The time until the last reader's lease expires. Readers whose lease has expired are removed. Each hold of a reader is a key
-- that only Redisson's names tell.
local function last_reader(before, behind)
  local left = 0
  for _, owner in ipairs(redis.call('hkeys', KEYS[1])) do
    local alive = 0
    local holds = tonumber(redis.call('hget', KEYS[1], owner))
    for i = 1, holds or 0 do
      alive = math.max(alive, redis.call('pttl', before .. owner .. behind .. i))
    end
    if holds and alive == 0 then redis.call('hdel', KEYS[1], owner) end
    left = math.max(left, alive)
  end
  return left
end
