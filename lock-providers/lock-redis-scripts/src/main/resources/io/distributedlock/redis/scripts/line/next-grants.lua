-- Returns how many grants in a row the next one is, or false if the next in the line may not have the lock: after many
-- grants in a row others outside the line come first.
local function next_grants(before)
  local grants = (before or 0) + 1
  if grants <= most_in_a_row then return grants end
  return not others_wait() and 1
end
