-- Redisson's own: a hash with the owner as a field. Like Redisson's write lock it has a mode, or Redisson would grant its
-- read and write locks beside it. Since nobody else enters such a hash, a release deletes it as a whole.
--
-- Owners that wait by hand listen to Redisson's channels, and the holder does not learn of them: so every holder counts as
-- awaited. If somebody has heard that the lock is free, no script of this library takes it for a moment, until it was seen in
-- other hands: threads by hand must wake first. Each lock has the counter of Redisson's fenced lock. A counter without an
-- expiry was created by hand, and counts up by one.
-- include keys.lua
-- include read-holder.lua
-- include grant.lua
-- include free.lua

-- after how many grants in a row the lock goes to somebody who waits and is not in the line
local most_in_a_row = 4
-- how a holder is shown that is nobody from the line, and may release unheard
local stranger = '+'

-- Returns a plus instead of no holder if the lock is not for the line just now.
local function or_others(holder)
  if not holder then return is_noted('') and '+' end
  if not string.find(holder, '.', 1, true) then end_moment() end
  return holder
end

local function others_wait()
  return (listeners(channel, shared_channel) or 1) > 0 or redis.pcall('exists', KEYS[5]) == 1
end

local function tell_registries() end

-- Nothing more than for each lock that gets free.
local function leave_to_others() end

-- Lets the whole line wait in the queue of getFairLock, as one that waits by hand: whoever releases by hand tells only the
-- next in that queue, so the lock is free for a moment that the line would hardly ever find. Each grant by hand takes up to
-- five minutes from the times of those behind it. Nobody is in front of the first, so its time is as short as that of the
-- line.
local function join_queue(holder, now, till)
  if not holder or string.find(holder, '.', 1, true) then return end
  -- an error while the slot moves to another node and one is not here
  if type(redis.pcall('exists', KEYS[5], KEYS[6])) == 'table' then return end
  local front = redis.pcall('lindex', KEYS[5], 0)
  if front == 'line' then
    if redis.pcall('zadd', KEYS[6], till, 'line') == 1 then
      redis.call('pexpire', KEYS[6], till - now + 86400000)
    end
  elseif type(front) == 'string' then
    local last = redis.pcall('zrange', KEYS[6], -1, -1, 'WITHSCORES')[2]
    local ends = math.max(tonumber(last or 0), now) + 300000
    if redis.pcall('zadd', KEYS[6], 'NX', ends, 'line') == 1 then
      redis.call('pexpire', KEYS[6], ends - now + 86400000)
      redis.call('rpush', KEYS[5], 'line')
      redis.call('pexpire', KEYS[5], ends - now + 86400000)
    end
  end
end

-- The place that has left may have been the one that listened to others.
local function after_leaving(had, holder)
  if had > 0 and not string.find(holder or '', '.', 1, true) and not wake_line() then
    leave_queue()
    wake_queue()
  end
end
