package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the defaults of the template into requests, and refuses those that the provider
 * cannot serve.
 */
final class LockAttempts {

	private static final Logger logger = LoggerFactory.getLogger(LockAttempts.class);

	private final Map<String, LockProvider> providers;

	private final LockProvider defaultProvider;

	private final LockKeyFormat keyFormat;

	private final Duration waitTime;

	private final @Nullable Duration leaseTime;

	private final Duration renewalLeaseTime;

	private final Duration lockDelay;

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
		this.lockDelay = builder.lockDelay;
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
		Duration longest = LeaseLimits.DEFAULT.longest().minus(this.lockDelay);
		if (lease.compareTo(longest) > 0) {
			logger.warn("The lease time of lock '{}' is cut to {} days: no backend can be trusted with {}",
					request.key(), longest.toDays(), lease);
			lease = longest;
		}
		LockAttempt attempt = new LockAttempt(this.keyFormat.format(request), provider, request.type(),
				(request.waitTime() != null) ? request.waitTime() : defaultWaitTime, lease, renewed, this.lockDelay);
		requireCapabilities(request, attempt);
		requireLeaseWithinLimits(attempt);
		return attempt;
	}

	private void requireCapabilities(LockRequest request, LockAttempt attempt) {
		Set<LockCapability> offered = attempt.provider().capabilities();
		LockCapability ofKind = request.type().requiredCapability();
		boolean delayRefused = !this.lockDelay.isZero() && !offered.contains(LockCapability.LOCK_DELAY);
		if ((ofKind == null || offered.contains(ofKind)) && !delayRefused && offered.containsAll(request.requires())) {
			return;
		}
		Set<LockCapability> missing = EnumSet.noneOf(LockCapability.class);
		missing.addAll(request.requires());
		if (ofKind != null) {
			missing.add(ofKind);
		}
		if (delayRefused) {
			missing.add(LockCapability.LOCK_DELAY);
		}
		missing.removeAll(offered);
		List<String> capable = this.providers.values()
			.stream()
			.filter((each) -> each.capabilities().containsAll(missing))
			.map(LockProvider::name)
			.sorted()
			.toList();
		throw new IllegalArgumentException(
				"Lock '%s' of type %s needs %s, which provider %s does not have. Providers of this application that have it: %s."
					.formatted(attempt.key(), attempt.type(), missing, attempt.provider().name(),
							capable.isEmpty() ? "none" : capable));
	}

	private static void requireLeaseWithinLimits(LockAttempt attempt) {
		LeaseLimits limits = attempt.provider().leaseLimits();
		if (!limits.allow(attempt.leaseOnBackend())) {
			throw new IllegalArgumentException(
					"Lock '%s': provider %s keeps leases from %s to %s, and cannot keep one of %s. Set another lease time, or choose another provider."
						.formatted(attempt.key(), attempt.provider().name(), LockTimes.text(limits.shortest()),
								LockTimes.text(limits.longest()), LockTimes.text(attempt.leaseOnBackend())));
		}
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
