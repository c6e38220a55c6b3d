package io.distributedlock.sample.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Shares the tokens on Redis, over a connection that Spring Data creates from the same
 * properties as the locks. An entry expires with its token.
 */
@Component
class RedisTokenStore implements TokenStore {

	private final StringRedisTemplate redis;

	RedisTokenStore(StringRedisTemplate redis) {
		this.redis = redis;
	}

	@Override
	public Optional<AccessToken> read(String appId) {
		return Optional.ofNullable(this.redis.opsForValue().get(key(appId)))
			.map((text) -> text.split(" ", 2))
			.map((parts) -> new AccessToken(parts[1], Instant.ofEpochMilli(Long.parseLong(parts[0]))));
	}

	@Override
	public void write(String appId, AccessToken token) {
		Duration valid = Duration.between(Instant.now(), token.expiresAt());
		if (valid.toMillis() > 0) {
			this.redis.opsForValue().set(key(appId), token.expiresAt().toEpochMilli() + " " + token.value(), valid);
		}
	}

	private static String key(String appId) {
		return "wechat:token:" + appId;
	}

}
