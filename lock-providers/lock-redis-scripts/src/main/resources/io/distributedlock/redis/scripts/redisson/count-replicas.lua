-- how many replicas the primary of a key has
return tonumber(string.match(redis.call('info', 'replication'), 'connected_slaves:(%d+)')) or 0
