/**
 * Internal: how a script reaches Redis through Redisson, and what a failure says.
 * <p>
 * Covered by {@code RedissonEdgeCaseTests} and {@code RedissonClusterTests}.
 */
@NullMarked
package io.distributedlock.redisson.internal.client;

import org.jspecify.annotations.NullMarked;
