-- include now.lua

-- The first owner in the queue of getFairLock. Owners before it that no longer count as alive are removed.
local function first_alive()
  while true do
    local first = redis.call('lindex', KEYS[5], 0)
    if not first then return first end
    local till = redis.call('zscore', KEYS[6], first)
    if till and tonumber(till) > now then return first end
    redis.call('lpop', KEYS[5])
    redis.call('zrem', KEYS[6], first)
  end
end
