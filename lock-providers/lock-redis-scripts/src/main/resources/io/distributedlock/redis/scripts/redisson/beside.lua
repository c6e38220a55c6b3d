-- include note.lua
-- include forget-gone.lua
-- include present.lua

-- Whether a deadline beside the line is still to come.
local function is_noted(field)
  local till = redis.pcall('hget', KEYS[4], field)
  return type(till) == 'string' and tonumber(till) > present()
end

-- Whether an attempt must not succeed any more.
local function is_refused(owner) return is_noted(owner) end

-- Refuses an attempt of an owner that was removed, if it arrives later. The connections over which it was sent are closed two
-- minutes later. There may be many such owners, so each looks after the others only now and then.
local function forget(owner)
  local now, micros = present()
  note(owner, 120000, now)
  local size = redis.pcall('hlen', KEYS[4])
  if type(size) == 'number' and size > 0 and micros % size == 0 then forget_gone(now) end
end

-- Keeps a free lock for a moment for those who wait by hand.
local function begin_moment(ms) note('', ms or 30, (present())) end

local function end_moment() redis.pcall('hdel', KEYS[4], '') end
