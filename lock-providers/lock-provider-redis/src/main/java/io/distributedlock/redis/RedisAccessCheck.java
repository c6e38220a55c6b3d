package io.distributedlock.redis;

import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.spi.BackendException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries once the commands that locks need. So the log says at the start of the
 * application, and not at the first lock, which rights the user of Redis lacks. A server
 * that cannot be reached is not reported: that may pass, and each lock reports it.
 */
final class RedisAccessCheck {

	private static final Logger logger = LoggerFactory.getLogger(RedisAccessCheck.class);

	private RedisAccessCheck() {
	}

	static void run(ExclusiveLocks locks, RedisLink link, String keyPrefix) {
		String key = keyPrefix + ":access-check";
		// a server that is too old fails here, and may not fail below
		link.ping(key).thenCompose((answer) -> locks.leaveUnknown(key)).whenComplete((released, failure) -> {
			BackendException reason = (failure != null) ? RedisErrors.translate(failure) : null;
			if (reason != null && !reason.isRetryable() && !(reason instanceof RedisErrors.ClosedException)) {
				logger.error("Locks under '{}' cannot work: {}", keyPrefix, reason.getMessage());
			}
		});
		check(link, key, "under '%s'".formatted(keyPrefix));
		check(link, locks.channelPrefix() + "access-check", "that begin with '%s'".formatted(locks.channelPrefix()));
	}

	private static void check(RedisLink link, String channel, String channels) {
		link.messages()
			.thenAccept((connection) -> connection.async().subscribe(channel).whenComplete((done, failure) -> {
				if (failure == null) {
					connection.async().unsubscribe(channel);
				}
				else if (!RedisErrors.translate(failure).isRetryable()) {
					logger.warn(
							"The user of Redis may not subscribe to channels {}: waiting calls poll. Grant +subscribe +unsubscribe +publish and the channels",
							channels);
				}
			}));
	}

}
