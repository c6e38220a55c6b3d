/**
 * Auto-configuration of the three providers on Redis: {@code redisson} (Redisson),
 * {@code redis} (Lettuce) and {@code redlock} (Lettuce, several independent servers).
 * <p>
 * {@code RedisTopology} reads {@code spring.data.redis.*} for {@code redisson} and
 * {@code redis}. {@code RedissonConfigs} and {@code LettuceClients} turn it into clients.
 * Redlock has its own list of servers in {@code lock.redis.redlock.*}, because they must
 * be independent of each other.
 * <p>
 * Covered by {@code ConnectionDetailsTests}, {@code EveryProviderTests} and
 * {@code MisconfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
