-- include channels.lua
-- include beside.lua

-- After a release. At one of four, keeps the free lock for a moment for those who wait for a read or write lock by hand. Calls
-- of this library listen to their channel only once they have seen somebody by hand. Tells the first owner in the queue of
-- getFairLock, if the user may see it.
local function let_by_hand_in()
  local _, micros = present()
  if micros % 4 == 0 and listeners(shared_channel, shared_channel) ~= 0 then begin_moment() end
  local first = redis.pcall('lindex', KEYS[5], 0)
  if type(first) == 'string' then wake(first) end
end

-- Returns what a release answers: 2 if the server refuses to publish.
local function publish_to_both(message, shared_message)
  local told, shared = publish(channel, message), publish(shared_channel, shared_message)
  return (type(told) == 'table' or type(shared) == 'table') and 2 or 1
end
