-- Renews up to ten leases. Keys: each lock and its line. A client for clusters sends one lease at a time, and does not
-- declare the line: while a slot moves, a server refuses keys of which one is missing. Services in front of a cluster
-- want each key named, so there is no loop.
if not KEYS[2] then KEYS[2] = table.remove(ARGV) end

local answer = ''
-- the second is an error while the slot moves to another node of a cluster; a lease must not end for that
local function add(renewed, waiting) answer = answer .. (not renewed and 0 or waiting == 0 and 1 or 2) end

add(redis.pcall('get', KEYS[1]) == ARGV[1] and redis.call('pexpire', KEYS[1], ARGV[2]) == 1,
    redis.pcall('exists', KEYS[2]))
if not KEYS[3] then return answer end
add(redis.pcall('get', KEYS[3]) == ARGV[3] and redis.call('pexpire', KEYS[3], ARGV[4]) == 1,
    redis.pcall('exists', KEYS[4]))
if not KEYS[5] then return answer end
add(redis.pcall('get', KEYS[5]) == ARGV[5] and redis.call('pexpire', KEYS[5], ARGV[6]) == 1,
    redis.pcall('exists', KEYS[6]))
if not KEYS[7] then return answer end
add(redis.pcall('get', KEYS[7]) == ARGV[7] and redis.call('pexpire', KEYS[7], ARGV[8]) == 1,
    redis.pcall('exists', KEYS[8]))
if not KEYS[9] then return answer end
add(redis.pcall('get', KEYS[9]) == ARGV[9] and redis.call('pexpire', KEYS[9], ARGV[10]) == 1,
    redis.pcall('exists', KEYS[10]))
if not KEYS[11] then return answer end
add(redis.pcall('get', KEYS[11]) == ARGV[11] and redis.call('pexpire', KEYS[11], ARGV[12]) == 1,
    redis.pcall('exists', KEYS[12]))
if not KEYS[13] then return answer end
add(redis.pcall('get', KEYS[13]) == ARGV[13] and redis.call('pexpire', KEYS[13], ARGV[14]) == 1,
    redis.pcall('exists', KEYS[14]))
if not KEYS[15] then return answer end
add(redis.pcall('get', KEYS[15]) == ARGV[15] and redis.call('pexpire', KEYS[15], ARGV[16]) == 1,
    redis.pcall('exists', KEYS[16]))
if not KEYS[17] then return answer end
add(redis.pcall('get', KEYS[17]) == ARGV[17] and redis.call('pexpire', KEYS[17], ARGV[18]) == 1,
    redis.pcall('exists', KEYS[18]))
if not KEYS[19] then return answer end
add(redis.pcall('get', KEYS[19]) == ARGV[19] and redis.call('pexpire', KEYS[19], ARGV[20]) == 1,
    redis.pcall('exists', KEYS[20]))
return answer
