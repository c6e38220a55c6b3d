-- include note-waiters.lua
-- include shares.lua

if exclusive then
  note_waiters(redis.call('get', KEYS[1]), now)
  return 0
end
local token = next_tokens(1, ARGV[2], time)
-- first, as a user without the rights fails here and has written nothing
local expires = expire_with_last(tonumber(ARGV[2]))
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
if not expires then redis.call('pexpire', KEYS[1], ARGV[2]) end
return token
