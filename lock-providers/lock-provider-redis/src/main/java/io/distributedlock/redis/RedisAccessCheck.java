package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.spi.BackendException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries once the commands that locks need. So the log says at the start of the
 * application, and not at the first lock, what the server lacks or denies the user. A
 * server that cannot be reached is not reported: that may pass, and each lock reports it.
 */
final class RedisAccessCheck {

	private static final Logger logger = LoggerFactory.getLogger(RedisAccessCheck.class);

	private RedisAccessCheck() {
	}

	static void run(ExclusiveLocks locks, RedisLink link, RedisReleases releases, String keyPrefix) {
		String key = keyPrefix + ":access-check";
		String channel = locks.channelPrefix() + "access-check";
		// a server that is too old fails here, and may not fail below
		link.ping(List.of(key), channel, key).thenCompose((answer) -> {
			link.shortfalls().noteAnswer(answer);
			return locks.leaveUnknown(key);
		}).whenComplete((released, failure) -> {
			BackendException reason = (failure != null) ? RedisErrors.translate(failure) : null;
			// a connection that is closed meanwhile fails in any way
			if (reason != null && !reason.isRetryable() && !link.isClosed()) {
				logger.error("Locks under '{}' cannot work: {}", keyPrefix, reason.getMessage());
			}
		});
		releases.check(key, channel);
	}

}
