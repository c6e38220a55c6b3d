-- the sign of the token of a lock for which nobody waits in the line
local free_sign = 1

-- Returns the number of keys that exist, of which none does if the lock is free and nobody waits for it.
local function is_busy() return redis.pcall('exists', KEYS[1], KEYS[3]) end

-- Makes somebody the owner, whoever it was before.
local function take(owner, ms) redis.call('set', KEYS[1], owner, 'PX', ms) end

-- Counts tokens, and returns the first of them.
local function next_tokens(n, ms, time)
  local first = time[1] * 1000000 + time[2]
  local last = redis.call('get', KEYS[2])
  if last and tonumber(last) >= first then first = last + 1 end
  -- a text, since a server takes longer over a number
  redis.call('set', KEYS[2], first + n - 1, 'PX', '86400000')
  return first
end
