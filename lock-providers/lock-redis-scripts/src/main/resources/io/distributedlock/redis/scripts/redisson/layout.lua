-- Redisson's own: a hash with the owner as a field. Like Redisson's write lock it has a mode, or Redisson would grant its
-- read and write locks beside it. Since nobody else enters such a hash, a release deletes it as a whole.
--
-- Owners that wait by hand listen to Redisson's channels, and the holder does not learn of them: so every holder counts as
-- awaited. If somebody has heard that the lock is free, no script of this library takes it for a moment, until it was seen in
-- other hands: threads by hand must wake first. Each lock has the counter of Redisson's fenced lock. A counter without an
-- expiry was created by hand, and counts up by one.
-- include keys.lua
-- include channels.lua
-- include beside.lua

-- after how many grants in a row the lock goes to somebody who waits and is not in the line
local most_in_a_row = 4
-- the sign of the token of a lock for which nobody waits in the line
local free_sign = -1
-- how a holder is shown that is nobody from the line, and may release unheard
local stranger = '+'

-- Returns the number of keys that exist, of which none does if the lock is free and nobody waits for it or was removed.
local function is_busy() return redis.pcall('exists', KEYS[1], KEYS[3], KEYS[4]) end

-- Returns the owner, false if there is none, or something that is no owner's name for readers.
local function read_holder()
  if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return ARGV[1] end
  local length = redis.call('hlen', KEYS[1])
  if length == 0 then return false end
  -- more fields are those of readers, of whom there may be thousands
  if length > 2 then return '' end
  local fields = redis.call('hkeys', KEYS[1])
  if length == 1 then return fields[1] end
  if redis.call('hget', KEYS[1], 'mode') ~= 'write' then return '' end
  return fields[1] == 'mode' and fields[2] or fields[1]
end

-- Returns a plus instead of no holder if the lock is not for the line just now.
local function or_others(holder)
  if not holder then return is_noted('') and '+' end
  if not string.find(holder, '.', 1, true) then end_moment() end
  return holder
end

-- Makes somebody the owner, whoever it was before.
local function take(owner, ms)
  -- a user without the right to set an expiry fails here, before anything is written
  local before = redis.call('pexpire', KEYS[1], ms) == 1 and redis.call('hkeys', KEYS[1]) or {}
  redis.call('hset', KEYS[1], owner, 1, 'mode', 'write')
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

local function others_wait()
  return (listeners(channel, shared_channel) or 1) > 0 or redis.pcall('exists', KEYS[5]) == 1
end

-- Who polls by hand leaves no trace, and must find the lock free.
local function may_stay() return false end

-- Lets the whole line wait in the queue of getFairLock, as one that waits by hand: whoever releases by hand tells only the
-- next in that queue, so the lock is free for a moment that the line would hardly ever find. Each grant by hand takes up to
-- five minutes from the times of those behind it. Nobody is in front of the first, so its time is as short as that of the
-- line.
local function join_queue(holder, now, till)
  local front = holder and not string.find(holder, '.', 1, true) and redis.pcall('lindex', KEYS[5], 0)
  if front == 'line' then
    redis.pcall('zadd', KEYS[6], till, 'line')
  elseif type(front) == 'string' then
    local last = redis.pcall('zrange', KEYS[6], -1, -1, 'WITHSCORES')[2]
    local ends = math.max(last or 0, now) + 300000
    if redis.pcall('zadd', KEYS[6], 'NX', ends, 'line') == 1 then
      redis.call('rpush', KEYS[5], 'line')
      redis.call('pexpire', KEYS[5], ends - now + 86400000)
      redis.call('pexpire', KEYS[6], ends - now + 86400000)
    end
  end
end

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

-- Tells the first in the line to look who has the lock. Returns whether there is one.
local function wake_line()
  local head = redis.pcall('lindex', KEYS[3], 0)
  local first, place = string.match(type(head) == 'string' and head or '', '^([^.]+)%.(%S+)')
  if first then redis.pcall('publish', channels .. first, place .. ' look') end
  return first
end

-- Deletes the lock, and wakes those who wait and are not in the line. Returns whether the server refuses to publish. If others
-- are in the line nevertheless, it tells the first of them to look.
local function free()
  redis.call('del', KEYS[1])
  local heard = publish(channel, 0)
  -- a user may have no right to what follows
  local shared = publish(shared_channel, 1)
  local queued = wake_queue()
  local told = (tonumber(heard) or 0) + (tonumber(shared) or 0)
  if told > 0 then told = listeners(channel, shared_channel) or told end
  if told + queued > 0 then begin_moment() end
  wake_line()
  return type(heard) == 'table'
end

-- The place that has left may have been the one that listened to others.
local function after_leaving(had, holder)
  if had > 0 and not string.find(holder or '', '.', 1, true) and not wake_line() then
    leave_queue()
    wake_queue()
  end
end
