-- include keys.lua
-- include let-by-hand-in.lua

local had = redis.call('hexists', KEYS[1], ARGV[1])
if had == 1 then
  redis.call('del', KEYS[1])
  had = publish_to_both(0, 1)
  let_by_hand_in()
end
if ARGV[2] ~= '' then forget(ARGV[1]) end
return had
