-- include note-waiters.lua
-- include shares.lua

if exclusive then
  note_waiters(redis.call('get', KEYS[1]), now)
  return 0
end
expire_with_last()
local token = next_tokens(1, ARGV[2], time)
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
expire_with_last()
return token
