local again = 0
for hold = 2, tonumber(redis.call('hget', KEYS[1], ARGV[1]) or 0) do
  again = again + redis.call('del', ARGV[2] .. ARGV[1] .. ARGV[3] .. hold)
end
local function release()
-- include release-read.lua
end
return math.max(release(), math.min(again, 1))
