-- include publish.lua

-- the start of the channels of JVMs
local channels = 'redisson_lock_line:'

local tag = string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}'
local channel, shared_channel = 'redisson_lock__channel:' .. tag, 'redisson_rwlock:' .. tag

-- Tells an owner in the queue of getFairLock that it may ask. Returns the number of receivers, or an error.
local function wake(owner) return publish(channel .. ':' .. owner, 0) end
