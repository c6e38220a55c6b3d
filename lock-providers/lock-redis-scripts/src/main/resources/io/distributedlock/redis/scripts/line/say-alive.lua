-- include forget-gone.lua
-- include write-deadline.lua

-- Lets the JVM of the first argument count as alive. Another JVM may have asked for more time, or another call of this
-- JVM, so no time is ever shortened. Nothing fails if the memory is full. Whenever a JVM is new here, those that are gone
-- are forgotten: the key may be busy for as long as the application lives. Returns the
-- present time, the deadline, and the present time as the server answers it.
local function say_alive(keep)
  local time = redis.call('time')
  local life = math.floor(keep * 4 / 3)
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local till = now + life
  local jvm = string.match(ARGV[1], '^[^.]+')
  -- after a write that needs no memory, a full server refuses none in this script; no JVM has this name
  redis.pcall('hdel', KEYS[4], '-')
  local before = redis.call('hget', KEYS[4], jvm)
  if not before then
    -- fails while the slot moves to another node and the hash is not here: made anew, it could not follow
    redis.call('exists', KEYS[1], KEYS[4])
    forget_gone(now)
  end
  if tonumber(before or 0) < till then write_deadline(jvm, life, now) end
  if redis.call('pttl', KEYS[3]) < keep * 3 then redis.call('pexpire', KEYS[3], keep * 3) end
  return now, till, time
end
