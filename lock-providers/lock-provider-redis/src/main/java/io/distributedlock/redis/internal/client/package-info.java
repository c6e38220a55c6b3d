/**
 * Internal: how a command reaches Redis through Lettuce, and what a failure says.
 * <p>
 * Covered by {@code RedisEdgeCaseTests}, {@code RedisConnectionTests} and
 * {@code RedisStallTests}.
 */
@NullMarked
package io.distributedlock.redis.internal.client;

import org.jspecify.annotations.NullMarked;
