-- include owners-answer.lua

if redis.call('exists', KEYS[2]) == 1 then
  add_all(redis.call('zrange', KEYS[2], 0, -1, 'WITHSCORES'), 'SEMAPHORE')
end
local function digits(byte) return string.format('%02x', string.byte(byte)) end
for i = 1, #answer, 3 do
  if #answer[i] == 16 or string.find(answer[i], '[^%w-]') then answer[i] = string.gsub(answer[i], '.', digits) end
end
return answer
