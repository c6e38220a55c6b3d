-- include keys.lua

-- readers are released by another script
if redis.call('hget', KEYS[1], 'mode') == 'read' or redis.call('hlen', KEYS[1]) > 2 then return -1 end
-- include release.lua
