package io.distributedlock.redis;

import io.distributedlock.spi.BackendException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries once what locks need, so that a user of Redis who lacks rights is known when the
 * application starts and not at the first lock. Says it in the log; a server that cannot
 * be reached is none of its business.
 */
final class RedisAccessCheck {

	private static final Logger logger = LoggerFactory.getLogger(RedisAccessCheck.class);

	private RedisAccessCheck() {
	}

	static void run(RedisLockProvider provider, RedisLink link, String keyPrefix) {
		String key = keyPrefix + ":access-check";
		provider.releaseUnknown(key).whenComplete((released, failure) -> {
			if (failure != null && RedisErrors.unwrap(failure) instanceof BackendException backendFailure
					&& !backendFailure.isRetryable() && !(backendFailure instanceof RedisErrors.ClosedException)) {
				logger.error("Locks under '{}' cannot work: {}", keyPrefix, backendFailure.getMessage());
			}
		});
		link.messages().thenAccept((connection) -> connection.async().subscribe(key).whenComplete((done, failure) -> {
			if (failure == null) {
				connection.async().unsubscribe(key);
			}
			else if (!RedisErrors.translate(failure).isRetryable()) {
				logger.warn(
						"The user of Redis may not subscribe to channels under '{}': waiting calls ask at intervals. Grant +subscribe +unsubscribe +publish and the channels",
						keyPrefix);
			}
		}));
	}

}
