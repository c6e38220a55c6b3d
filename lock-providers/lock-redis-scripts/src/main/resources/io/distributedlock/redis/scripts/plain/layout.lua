-- A string with the owner's name. Readers share the same key as a set. Keys: the lock, the counter of tokens, the line, and
-- the hash beside it with the deadlines of JVMs. The field '' says that readers or writers wait, the field
-- '+' until when a free lock is for code of another library.
-- A client for clusters declares the first two only: while a slot moves, a server refuses keys of which one is missing.
if not KEYS[3] then KEYS[3], KEYS[4] = table.remove(ARGV), table.remove(ARGV) end

-- the start of the channels of JVMs
local channels = string.match(KEYS[2], '^[^{]*')
-- after how many grants in a row the lock goes to somebody who waits and is not in the line
local most_in_a_row = 16
-- the sign of the token of a lock for which nobody waits in the line
local free_sign = 1
-- how a holder is shown that is nobody from the line
local stranger = '*'

-- Returns the number of keys that exist, of which none does if the lock is free and nobody waits for it.
local function is_busy() return redis.pcall('exists', KEYS[1], KEYS[3]) end

-- include read-holder.lua
-- include note.lua
-- include present.lua

-- Makes somebody the owner, whoever it was before.
local function take(owner, ms) redis.call('set', KEYS[1], owner, 'PX', ms) end

-- Counts tokens, and returns the first of them.
local function next_tokens(n, ms, time)
  local first = time[1] * 1000000 + time[2]
  local last = redis.call('get', KEYS[2])
  if last and tonumber(last) >= first then first = last + 1 end
  redis.call('set', KEYS[2], first + n - 1, 'PX', 86400000)
  return first
end

local function others_wait() return redis.pcall('hget', KEYS[4], '') ~= false end

-- Whether a lock for which nobody waits in the line may go to the next caller of the JVM that releases it.
local function may_stay() return not others_wait() end

-- Deletes the lock, and tells those who wait and are not in the line. Returns whether the server refuses to publish.
local function free()
  redis.call('del', KEYS[1])
  -- an error if the slot moves to another node, and the hash is not here: somebody may wait
  return redis.pcall('hdel', KEYS[4], '') ~= 0 and type(redis.pcall('publish', KEYS[1], '')) == 'table'
end

-- Keeps a free lock for a moment for code of another library. Returns a plus instead of no holder in that moment.
local function begin_moment(ms) note('+', ms, (present())) end
local function or_others(holder)
  if holder then return holder end
  local till = redis.pcall('hget', KEYS[4], '+')
  return type(till) == 'string' and tonumber(till) > present() and '+'
end

-- What the other layout does for owners that it does not know.
local function is_refused(owner) return false end
local function join_queue(holder, now, till) end
local function leave_queue() end
local function after_leaving(had, holder) end
local function forget(owner) end
