/**
 * What the providers on Redis have in common, whatever their client: the scripts, the
 * names of their keys, and the line of waiters. Applications use a provider, not this
 * package.
 * <p>
 * Covered by {@code RedisLockProviderKitTests}, {@code RedissonLockProviderKitTests} and
 * {@code RedisLineTests}.
 */
@NullMarked
package io.distributedlock.redis.scripts;

import org.jspecify.annotations.NullMarked;
