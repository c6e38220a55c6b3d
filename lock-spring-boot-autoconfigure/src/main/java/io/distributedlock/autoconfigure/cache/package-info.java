/**
 * Keeps the caches of an application what they would be without Redisson, which the locks
 * bring along, and which is a JCache provider.
 * <p>
 * Covered by {@code RedissonCachesAutoConfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.cache;

import org.jspecify.annotations.NullMarked;
