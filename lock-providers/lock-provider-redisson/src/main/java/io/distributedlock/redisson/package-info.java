/**
 * Locks on Redis through Redisson, with the key layout of Redisson's own locks.
 * <p>
 * Covered by {@code RedissonLockProviderKitTests}, {@code RedissonEdgeCaseTests} and
 * {@code RedissonLayoutTests}.
 */
@NullMarked
package io.distributedlock.redisson;

import org.jspecify.annotations.NullMarked;
