/**
 * Chooses the JCache provider of Redisson where an application caches with it: the client
 * of the locks brings one along.
 * <p>
 * Covered by {@code RedissonCachesAutoConfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.cache;

import org.jspecify.annotations.NullMarked;
