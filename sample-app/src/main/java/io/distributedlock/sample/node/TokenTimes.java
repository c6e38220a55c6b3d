package io.distributedlock.sample.node;

import java.time.Duration;
import java.time.Instant;

import org.springframework.stereotype.Component;

/**
 * When a token is used, and when it is replaced.
 */
@Component
class TokenTimes {

	private final WeChatProperties properties;

	TokenTimes(WeChatProperties properties) {
		this.properties = properties;
	}

	boolean isUsable(AccessToken token) {
		return Instant.now().isBefore(lastUse(token));
	}

	/**
	 * Return how long to wait before a token is replaced: until then a send may still use
	 * it.
	 */
	Duration untilUnused(AccessToken token) {
		Duration left = Duration.between(Instant.now(), lastUse(token).plus(this.properties.longestSend()));
		return left.isNegative() ? Duration.ZERO : left;
	}

	private Instant lastUse(AccessToken token) {
		return token.expiresAt().minus(this.properties.refreshAhead());
	}

}
