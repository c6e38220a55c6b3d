local again = 0
for hold = 2, tonumber(redis.call('hget', KEYS[1], ARGV[1]) or 0) do
  again = again + redis.call('del', ARGV[3] .. ARGV[1] .. ARGV[4] .. hold)
end
local function release()
-- include release-read.lua
end
return math.max(release(), math.min(again, 1))
