-- include channels.lua
-- include beside.lua
-- include wake-line.lua

local function leave_queue()
  if redis.pcall('lrem', KEYS[5], 0, 'line') == 1 then redis.pcall('zrem', KEYS[6], 'line') end
end

-- Tells the first in the queue of getFairLock, and returns the number of receivers.
local function wake_queue()
  local queued = redis.pcall('lindex', KEYS[5], 0)
  if queued == 'line' then
    leave_queue()
    queued = redis.pcall('lindex', KEYS[5], 0)
  end
  return type(queued) == 'string' and tonumber(wake(queued)) or 0
end

-- Deletes the lock, and wakes those who wait and are not in the line. Returns whether the server refuses to publish. If others
-- are in the line nevertheless, it tells the first of them to look.
local function free()
  redis.call('del', KEYS[1])
  local heard = publish(channel, '0')
  -- a user may have no right to what follows
  local shared = publish(shared_channel, '1')
  local queued = wake_queue()
  local told = (tonumber(heard) or 0) + (tonumber(shared) or 0)
  if told > 0 then told = listeners(channel, shared_channel) or told end
  if told + queued > 0 then begin_moment() end
  wake_line()
  return type(heard) == 'table'
end
