-- Keys: the lock, the counter of tokens, the line, and the hash beside it with the deadlines of JVMs, and of owners that were
-- removed: attempts of theirs are refused until then. The field '' has the end of the moment for owners by hand. Then
-- Redisson's queue of getFairLock, and its times; at last, for readers, a key that expires with the lease of one.
-- A client for clusters does not declare all: while a slot moves, a server refuses keys of which one is missing.
KEYS[2] = KEYS[2] or table.remove(ARGV)
KEYS[3] = KEYS[3] or table.remove(ARGV)
KEYS[4] = KEYS[4] or table.remove(ARGV)
KEYS[5] = KEYS[5] or table.remove(ARGV)
KEYS[6] = KEYS[6] or table.remove(ARGV)
