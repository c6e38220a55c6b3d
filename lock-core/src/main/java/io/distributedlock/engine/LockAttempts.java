package io.distributedlock.engine;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the defaults of the template into requests.
 */
final class LockAttempts {

	private static final Logger logger = LoggerFactory.getLogger(LockAttempts.class);

	private final Map<String, LockProvider> providers;

	private final LockProvider defaultProvider;

	private final LockKeyFormat keyFormat;

	private final Duration waitTime;

	private final @Nullable Duration leaseTime;

	private final Duration renewalLeaseTime;

	LockAttempts(LockTemplateBuilder builder) {
		if (builder.providers.isEmpty()) {
			throw new IllegalStateException("A lock template needs at least one lock provider");
		}
		this.providers = Map.copyOf(builder.providers);
		this.defaultProvider = (builder.defaultProvider != null) ? provider(builder.defaultProvider)
				: builder.providers.values().iterator().next();
		this.keyFormat = new LockKeyFormat(builder.keyPrefix);
		this.waitTime = builder.waitTime;
		this.leaseTime = builder.leaseTime;
		this.renewalLeaseTime = builder.renewalLeaseTime;
	}

	/**
	 * Return the attempt for a call that waits by default.
	 */
	LockAttempt waiting(LockRequest request) {
		return attempt(request, this.waitTime);
	}

	/**
	 * Return the attempt for a call that does not wait by default.
	 */
	LockAttempt trying(LockRequest request) {
		return attempt(request, Duration.ZERO);
	}

	private LockAttempt attempt(LockRequest request, Duration defaultWaitTime) {
		LockProvider provider = (request.provider() != null) ? provider(request.provider()) : this.defaultProvider;
		Duration ceiling = (request.leaseTime() != null) ? request.leaseTime() : this.leaseTime;
		boolean renewed = ceiling == null || request.autoRenew();
		Duration lease = LockTimes.wholeMillis((ceiling != null) ? ceiling : this.renewalLeaseTime);
		if (lease.compareTo(LockTimes.MAX_LEASE) > 0) {
			logger.warn("The lease time of lock '{}' is cut to {} days: no backend can be trusted with {}",
					request.key(), LockTimes.MAX_LEASE.toDays(), lease);
			lease = LockTimes.MAX_LEASE;
		}
		return new LockAttempt(this.keyFormat.format(request), provider, request.type(),
				(request.waitTime() != null) ? request.waitTime() : defaultWaitTime, lease, renewed);
	}

	private LockProvider provider(String name) {
		LockProvider provider = this.providers.get(name);
		if (provider == null) {
			throw new IllegalArgumentException("There is no lock provider named '%s'. Those that there are: %s"
				.formatted(name, this.providers.keySet().stream().sorted().toList()));
		}
		return provider;
	}

}
