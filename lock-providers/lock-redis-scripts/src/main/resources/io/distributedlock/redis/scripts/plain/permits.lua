-- include now.lua
-- include expire-with-last.lua

-- Removes owners of permits whose lease has expired.
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
