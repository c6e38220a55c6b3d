package io.distributedlock.sample.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Shares the token on Redis, over a connection that Spring Data creates from the same
 * properties as the locks.
 */
@Component
@ConditionalOnProperty(name = "demo.token-store", havingValue = "redis")
class RedisTokenCache implements TokenCache {

	/**
	 * Longer than any token is valid. The entries expire, so that the demonstration
	 * leaves nothing on a shared Redis.
	 */
	private static final Duration KEPT = Duration.ofHours(1);

	private final StringRedisTemplate redis;

	RedisTokenCache(StringRedisTemplate redis) {
		this.redis = redis;
	}

	@Override
	public Optional<AccessToken> read(int epoch) {
		List<Object> fields = this.redis.opsForHash().multiGet(key(epoch), List.of("token", "expiresAt"));
		if (fields.get(0) instanceof String token && fields.get(1) instanceof String expiresAt) {
			return Optional.of(new AccessToken(token, Long.parseLong(expiresAt)));
		}
		return Optional.empty();
	}

	@Override
	public void write(int epoch, AccessToken token) {
		this.redis.opsForHash()
			.putAll(key(epoch), Map.of("token", token.value(), "expiresAt", Long.toString(token.expiresAtMillis())));
		this.redis.expire(key(epoch), KEPT);
	}

	private static String key(int epoch) {
		return "wechat:token:" + epoch;
	}

}
