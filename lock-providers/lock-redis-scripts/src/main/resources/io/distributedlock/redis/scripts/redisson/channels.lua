-- include publish.lua

-- the start of the channels of JVMs
local channels = 'redisson_lock_line:'

local tag = string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}'
local channel, shared_channel = 'redisson_lock__channel:' .. tag, 'redisson_rwlock:' .. tag

-- Tells an owner in the queue of getFairLock that it may ask: one by hand on its own channel, one of this library by its name
-- on the channel of its JVM, which is no sharded one. Returns the number of receivers, or an error.
local function wake(owner)
  local jvm = string.match(owner, '^([^:]+)%-%x+$')
  if jvm then return redis.pcall('publish', channels .. jvm, owner) end
  return publish(channel .. ':' .. owner, 0)
end
