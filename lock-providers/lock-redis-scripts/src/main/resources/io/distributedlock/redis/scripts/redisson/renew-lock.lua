-- The renewal of a writer may arrive after its downgrade; it is refused by its mode, as it could shorten the leases of other
-- readers.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[3] and redis.call('hget', KEYS[1], 'mode') ~= ARGV[3] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])
