-- include keys.lua
-- include let-by-hand-in.lua
-- include last-reader.lua
KEYS[7] = KEYS[7] or table.remove(ARGV)

local had = 0
local mode = redis.call('hget', KEYS[1], 'mode')
-- a writer by hand that reads, too
if mode == 'write' and redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.call('del', KEYS[1])
  had = publish_to_both(0, 1)
elseif mode == 'read' and redis.call('hdel', KEYS[1], ARGV[1]) == 1 then
  -- an error if the slot moves to another node, and the key is not here
  had = redis.pcall('del', KEYS[7]) == 0 and 0 or 1
  local left = last_reader(ARGV[3], ARGV[4])
  if left > 0 then
    redis.call('pexpire', KEYS[1], left)
  else
    redis.call('del', KEYS[1])
    if publish_to_both(0, 0) == 2 then had = 2 end
  end
end
if had > 0 and redis.call('exists', KEYS[1]) == 0 then let_by_hand_in() end
if ARGV[2] ~= '' then forget(ARGV[1]) end
return had
