-- A service in front of a cluster wants a key, and a node of a cluster none that it may not serve. ZPOPMIN came with
-- Redis 5, as the effects of scripts that ask for the time did; without arguments it only shows whether it is known.
if KEYS[1] then redis.pcall('exists', KEYS[1]) end
if redis.REDIS_VERSION == nil then
  local answer = redis.pcall('zpopmin')
  if string.find(answer['err'] or '', 'nknown') then
    local info = redis.pcall('info', 'server')
    local version = type(info) == 'string' and string.match(info, 'redis_version:([%d.]+)')
    return redis.error_reply('TOOOLD ' .. (version or 'unknown'))
  end
end
local unheard = false
for _, channel in ipairs(ARGV) do
  unheard = type(redis.pcall('publish', channel, '')) == 'table' or unheard
end
return unheard and 2 or 1
