/**
 * Locks on Redis through Lettuce: on a single server, Sentinel or Cluster, and on
 * independent servers by the Redlock algorithm.
 * <p>
 * Covered by {@code RedisLockProviderKitTests}, {@code RedlockProviderKitTests} and
 * {@code RedisRightsTests}.
 */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
