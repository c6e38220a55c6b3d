-- the sign of the token of a lock for which nobody waits in the line
local free_sign = -1

-- Returns the number of keys that exist, of which none does if the lock is free and nobody waits for it or was removed.
local function is_busy() return redis.pcall('exists', KEYS[1], KEYS[3], KEYS[4]) end

-- Makes somebody the owner, whoever it was before.
local function take(owner, ms)
  -- a user without the right to set an expiry fails here, before anything is written
  local before = redis.call('pexpire', KEYS[1], ms) == 1 and redis.call('hkeys', KEYS[1]) or {}
  redis.call('hset', KEYS[1], owner, '1', 'mode', 'write')
  -- after that, as a key that is gone may not be written while its slot moves to another node
  for i = 1, #before do
    if before[i] ~= owner and before[i] ~= 'mode' then redis.call('hdel', KEYS[1], before[i]) end
  end
  redis.call('pexpire', KEYS[1], ms)
end

-- Counts tokens, and returns the first of them.
local function next_tokens(n, ms, time)
  local keep = redis.call('pttl', KEYS[2])
  if keep == -1 then return redis.call('incrby', KEYS[2], n) - n + 1 end
  keep = string.format('%.0f', math.max(keep, ms + 86400000))
  local first = time[1] * 1000000 + time[2]
  local last = redis.call('get', KEYS[2])
  if last and tonumber(last) >= first then first = last + 1 end
  redis.call('set', KEYS[2], string.format('%.0f', first + n - 1), 'PX', keep)
  return first
end
