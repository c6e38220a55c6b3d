/**
 * Locks on Memcached through Folsom.
 * <p>
 * Covered by {@code MemcachedLockProviderKitTests} and {@code MemcachedEdgeCaseTests}.
 */
@NullMarked
package io.distributedlock.memcached;

import org.jspecify.annotations.NullMarked;
