-- include note.lua
-- include present.lua
local theirs

-- Whether it is the turn of code of another library, which asks at intervals and leaves no trace: for one interval and a
-- quarter, after five in the hands of this library. The field '~' is kept for five intervals more than those.
local function is_their_turn(interval)
  if not interval then return false end
  local now = present()
  local till = redis.pcall('hget', KEYS[4], '~')
  local began = type(till) == 'string'
  if began and tonumber(till) - interval * 5 > now then return false end
  theirs = began and math.ceil(interval * 1.25)
  note('~', interval * 10 + (theirs or 0), now)
  return theirs
end

-- Returns how many grants in a row the next one is, or false if the next in the line may not have the lock: after many
-- grants in a row others outside the line come first.
local function next_grants(before)
  local last, interval = string.match(before or '', '^(%d+) ?(%d*)$')
  if is_their_turn(tonumber(interval or '')) then return false end
  local grants = (last or 0) + 1
  if grants <= most_in_a_row then return grants end
  return not others_wait() and 1
end

-- Deletes the lock. If it is the turn of others, nobody in the line has it for a moment.
local function free_for_others(grants)
  leave_free()
  if not grants then leave_to_others() end
  if theirs then begin_moment(theirs) end
end
