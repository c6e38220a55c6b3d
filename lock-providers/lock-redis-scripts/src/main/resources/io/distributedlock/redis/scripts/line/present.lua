-- Returns the clock in milliseconds, and its microseconds.
local function present()
  local time = redis.call('time')
  return time[1] * 1000 + math.floor(time[2] / 1000), time[2]
end
