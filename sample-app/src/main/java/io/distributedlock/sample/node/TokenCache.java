package io.distributedlock.sample.node;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Where the nodes share the token. It knows nothing of locks, and uses the connection
 * that Spring Data makes from the same properties.
 */
@Component
class TokenCache {

	private final StringRedisTemplate redis;

	TokenCache(StringRedisTemplate redis) {
		this.redis = redis;
	}

	Optional<AccessToken> read(int epoch) {
		List<Object> fields = this.redis.opsForHash().multiGet(key(epoch), List.of("token", "expiresAt"));
		if (fields.get(0) instanceof String token && fields.get(1) instanceof String expiresAt) {
			return Optional.of(new AccessToken(token, Long.parseLong(expiresAt)));
		}
		return Optional.empty();
	}

	void write(int epoch, AccessToken token) {
		this.redis.opsForHash()
			.putAll(key(epoch), Map.of("token", token.value(), "expiresAt", Long.toString(token.expiresAtMillis())));
	}

	private static String key(int epoch) {
		return "wechat:token:" + epoch;
	}

}
