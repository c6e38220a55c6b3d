-- how many replicas the primary of a key has; a service in front of a cluster wants a key
if not KEYS[1] then return 0 end
return tonumber(string.match(redis.call('info', 'replication'), 'connected_slaves:(%d+)')) or 0
