-- include note-waiters.lua
-- include now.lua

local holder = read_holder()
if type(holder) == 'table' then return holder end
if holder and holder ~= ARGV[1] then
  note_waiters(holder, now)
  return 0
end
local ms, n = string.match(ARGV[2], '^(%d+) (%d+)')
local token = next_tokens(n, ms, time)
take(ARGV[1], ms)
return (redis.call('exists', KEYS[3]) > 0 or others_wait()) and -token or token
