-- include layout.lua
local unheard

-- Grants the lock to the first in the line whose JVM is alive. Returns its owner and the token, false if there is none, or an
-- error to answer with. Sets whether the server refuses to publish. While the slot of a cluster moves to another node, a line
-- that is not here counts as empty: the lock is then free, and who is in the line looks. A JVM counts as alive if what says so
-- is not here.
local function hand_over(grants)
  local entry = redis.pcall('lpop', KEYS[3])
  if type(entry) == 'table' then
    if not string.find(entry.err, 'non local key', 1, true) then return entry end
    entry = false
  end
  local time = entry and redis.call('time')
  while type(entry) == 'string' do
    local owner, jvm, id, n, ms = string.match(entry, '^(([^.]+)%.(%S+)) (%d+) (%d+)$')
    local till = redis.pcall('hget', KEYS[4], jvm)
    if type(till) == 'table' or till and tonumber(till) >= time[1] * 1000 + time[2] / 1000 then
      local token = next_tokens(n, ms, time)
      take(owner, ms)
      local sent = redis.pcall('publish', channels .. jvm, string.format('%s %.0f %s %d', id, token, ms, grants))
      unheard = type(sent) == 'table'
      return owner, token
    end
    entry = redis.pcall('lpop', KEYS[3])
  end
  return false
end

-- Deletes a lock that nobody in the line gets.
local function leave_free()
  unheard = free()
  tell_registries()
end
