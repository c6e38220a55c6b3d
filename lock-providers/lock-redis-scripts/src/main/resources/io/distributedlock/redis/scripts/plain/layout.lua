-- include keys.lua

-- the start of the channels of JVMs
local channels = string.match(KEYS[2], '^[^{]*')
-- after how many grants in a row the lock goes to somebody who waits and is not in the line
local most_in_a_row = 16
-- how a holder is shown that is nobody from the line
local stranger = '*'

-- include read-holder.lua
-- include grant.lua
-- include free.lua
-- include note.lua
-- include present.lua
-- include wake-line.lua

local function others_wait() return redis.pcall('hget', KEYS[4], '') ~= false end

-- Keeps a free lock for a moment for code of another library. Returns a plus instead of no holder in that moment.
local function begin_moment(ms) note('+', ms, (present())) end
local function or_others(holder)
  if holder then return holder end
  local till = redis.pcall('hget', KEYS[4], '+')
  return type(till) == 'string' and tonumber(till) > present() and '+'
end

-- Keeps a lock that was left to others free for a moment, and tells the line to look again afterwards: the others may have gone.
local function leave_to_others()
  if wake_line() then begin_moment(30) end
end

-- Tells those of Spring Integration who wait for a message, if there is code of other libraries. The key of their registry ends
-- at one of the colons.
local function tell_registries()
  if type(redis.pcall('hget', KEYS[4], '~')) ~= 'string' then return end
  for colon in string.gmatch(KEYS[1], '():') do
    redis.pcall('publish', string.sub(KEYS[1], 1, colon - 1) .. '-channel:' .. KEYS[1], KEYS[1])
  end
end

-- What the other layout does for owners that it does not know.
local function is_refused(owner) return false end
local function join_queue(holder, now, till) end
local function leave_queue() end
-- The place that has left may have been told of a free lock.
local function after_leaving(had, holder)
  if had > 0 and not holder then wake_line() end
end
local function forget(owner) end
