-- include last-reader.lua

if redis.call('hexists', KEYS[1], ARGV[1]) == 0 or redis.call('pexpire', KEYS[2], ARGV[2]) == 0 then return 0 end
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('pexpire', KEYS[1], ARGV[2])
else
  redis.call('pexpire', KEYS[1], last_reader(ARGV[3], ARGV[4]))
end
return 1
