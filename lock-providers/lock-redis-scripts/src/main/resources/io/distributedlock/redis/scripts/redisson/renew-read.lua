-- include channels.lua
-- include last-reader.lua

if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
local writer = redis.call('hget', KEYS[1], 'mode') == 'write'
if not writer and redis.call('pexpire', KEYS[2], ARGV[2]) == 0 then return 0 end
if writer then
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('set', KEYS[2], 1, 'PX', ARGV[2])
  redis.call('hset', KEYS[1], 'mode', 'read')
  publish(channel, 0)
  publish(shared_channel, 1)
elseif redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('pexpire', KEYS[1], ARGV[2])
else
  redis.call('pexpire', KEYS[1], last_reader(ARGV[3], ARGV[4]))
end
return 1
