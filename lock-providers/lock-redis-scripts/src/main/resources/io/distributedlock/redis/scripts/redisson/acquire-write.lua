-- include refusal.lua
-- include grant.lua

local taken = redis.call('exists', KEYS[1]) == 1
if taken and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return refusal() end
if taken and redis.call('hget', KEYS[1], 'mode') == 'read' then return 0 end
if is_refused(ARGV[1]) then return 0 end
if not taken and is_noted('') then return behind end
local token = next_tokens(1, ARGV[2], redis.call('time'))
take(ARGV[1], ARGV[2])
return token
