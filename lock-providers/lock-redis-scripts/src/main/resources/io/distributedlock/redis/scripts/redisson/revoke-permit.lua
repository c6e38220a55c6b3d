local function byte(digits) return string.char(tonumber(digits, 16)) end
if string.find(ARGV[1], '^%x+$') then
  local bytes = string.gsub(ARGV[1], '%x%x', byte)
  if redis.call('zscore', KEYS[2], bytes) then ARGV[1] = bytes end
end
-- include release-permit.lua
