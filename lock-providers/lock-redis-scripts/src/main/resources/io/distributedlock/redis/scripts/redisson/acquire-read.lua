-- include refusal.lua
-- include grant.lua
-- not used here: a service that would refuse to release a reader, as it cannot read the keys, must refuse this script, too
-- include last-reader.lua
KEYS[7] = KEYS[7] or table.remove(ARGV)

local taken = redis.call('exists', KEYS[1]) == 1
if taken and redis.call('hget', KEYS[1], 'mode') ~= 'read' then return refusal() end
if is_refused(ARGV[1]) then return 0 end
if not taken and is_noted('') then return behind end
local token = next_tokens(1, ARGV[2], redis.call('time'))
local left = math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[2]))
-- first, as a user without the right fails here and has not written the lock
redis.call('pexpire', KEYS[1], left)
redis.call('set', KEYS[7], 1, 'PX', ARGV[2])
redis.call('hset', KEYS[1], 'mode', 'read', ARGV[1], 1)
if not taken then redis.call('pexpire', KEYS[1], left) end
return token
