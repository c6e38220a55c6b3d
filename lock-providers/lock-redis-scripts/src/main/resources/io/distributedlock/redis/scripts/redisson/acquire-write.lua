-- include refusal.lua
-- include next-token.lua

local taken = redis.call('exists', KEYS[1]) == 1
if taken and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return refusal() end
if taken and redis.call('hget', KEYS[1], 'mode') == 'read' then return 0 end
if is_refused(ARGV[1]) then return 0 end
if not taken and is_noted('') then return behind end
local token = next_token(ARGV[3])
-- a user without the right to set an expiry fails here, before anything is written
redis.call('pexpire', KEYS[1], ARGV[2])
redis.call('hset', KEYS[1], ARGV[1], 1)
redis.call('hset', KEYS[1], 'mode', 'write')
redis.call('pexpire', KEYS[1], ARGV[2])
return token
