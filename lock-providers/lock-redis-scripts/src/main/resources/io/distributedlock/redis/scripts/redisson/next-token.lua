-- A token from the counter. A counter without an expiry belongs to code that uses Redisson by hand, which counts up by one: so
-- does this function. In any other counter the token is at least the server's clock in microseconds, so that tokens rise
-- although the counter was lost or has expired.
local function next_token(ttl)
  local left = redis.call('pttl', KEYS[2])
  if left == -1 then return redis.call('incr', KEYS[2]) end
  local clock = redis.call('time')
  local last = tonumber(redis.call('get', KEYS[2]) or '0')
  local token = math.max(last + 1, clock[1] * 1000000 + clock[2])
  redis.call('set', KEYS[2], string.format('%.0f', token), 'PX', math.max(left, ttl))
  return token
end
