-- A string with the owner's name. Readers share the same key as a set. Keys: the lock, the counter of tokens, the line, and
-- the hash beside it with the deadlines of JVMs. The field '' says that readers or writers wait, the field
-- '+' until when a free lock is for code of another library.
-- A client for clusters declares the first two only: while a slot moves, a server refuses keys of which one is missing.
if not KEYS[3] then KEYS[3], KEYS[4] = table.remove(ARGV), table.remove(ARGV) end
