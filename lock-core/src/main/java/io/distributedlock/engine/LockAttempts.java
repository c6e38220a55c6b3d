package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.UnknownLockProviderException;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.request.LockKeys;
import io.distributedlock.engine.internal.request.UnlockedProvider;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Completes requests with the defaults of the template, and refuses those that their
 * provider cannot serve.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
final class LockAttempts {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(LockAttempts.class));

	private final Map<String, Offer> offers = new LinkedHashMap<>();

	private final Offer defaultOffer;

	private final boolean unlocked;

	private final LockKeys keys;

	private final Duration waitTime;

	private final boolean waitThroughOutage;

	private final @Nullable Duration leaseTime;

	private final Duration renewalLeaseTime;

	private final Duration lockDelay;

	private final Duration longestLease;

	LockAttempts(LockTemplateBuilder builder) {
		if (builder.providers.isEmpty()) {
			throw new IllegalStateException("A lock template needs at least one lock provider");
		}
		this.unlocked = builder.unlocked;
		builder.providers.forEach((name, provider) -> this.offers.put(name,
				new Offer(name, provider, Set.copyOf(provider.capabilities()), provider.leaseLimits())));
		this.defaultOffer = (builder.defaultProvider != null) ? offer(builder.defaultProvider)
				: this.offers.values().iterator().next();
		this.keys = new LockKeys(builder.keyLayout, builder.keyPrefix);
		this.waitTime = builder.waitTime;
		this.waitThroughOutage = builder.waitThroughOutage;
		this.leaseTime = builder.leaseTime;
		this.renewalLeaseTime = builder.renewalLeaseTime;
		this.lockDelay = builder.lockDelay;
		this.longestLease = LeaseLimits.DEFAULT.longest().minus(this.lockDelay);
	}

	/**
	 * Return the full keys of a request.
	 */
	List<String> fullKeys(LockRequest request) {
		return request.parts().stream().map(this.keys::fullKey).toList();
	}

	/**
	 * Return the attempts of a call that waits by default.
	 */
	List<LockAttempt> waiting(LockRequest request) {
		return attempts(request, this.waitTime);
	}

	/**
	 * Return the attempts of a call that does not wait by default.
	 */
	List<LockAttempt> trying(LockRequest request) {
		return attempts(request, Duration.ZERO);
	}

	/**
	 * Refuse a request that its provider cannot serve. Its key may be yet to come, so no
	 * full key is made.
	 */
	void check(LockRequest request) {
		request.parts().forEach((part) -> attempt(part, part.text(), this.waitTime));
	}

	/**
	 * Return the attempts for all locks of a request, in the order that all callers use.
	 * A key that occurs twice is acquired once, and as {@code READ} only if all its
	 * occurrences are.
	 */
	private List<LockAttempt> attempts(LockRequest request, Duration defaultWaitTime) {
		List<LockRequest> parts = request.parts();
		if (parts.size() == 1) {
			return List.of(attempt(parts.get(0), fullKey(parts.get(0)), defaultWaitTime));
		}
		Map<KeyId, LockAttempt> attempts = new TreeMap<>();
		for (LockRequest part : parts) {
			LockAttempt attempt = attempt(part, fullKey(part), defaultWaitTime);
			attempts.merge(attempt.id(), attempt, (first, second) -> (first.type() == LockType.READ) ? second : first);
		}
		return List.copyOf(attempts.values());
	}

	private LockAttempt attempt(LockRequest request, String key, Duration defaultWaitTime) {
		Offer offer = offer(request);
		// what limits other locks is no length for one that has no limit
		Duration ceiling = (request.leaseTime() != null || request.autoRenew()) ? request.leaseTime() : this.leaseTime;
		boolean autoRenewed = ceiling == null || request.autoRenew();
		Duration lease = LockTimes.wholeMillis((ceiling != null) ? ceiling : this.renewalLeaseTime);
		Duration holdAtLeast = LockTimes.saturated(request.holdAtLeast());
		if (autoRenewed && lease.compareTo(holdAtLeast) < 0) {
			// so the key stays taken for that long even if its holder dies
			lease = LockTimes.wholeMillis(holdAtLeast);
		}
		if (lease.compareTo(this.longestLease) > 0) {
			warnings.warn(
					"The lease time of lock '{}' is reduced to {} days: backends do not keep a lease of {} reliably",
					request.text(), this.longestLease.toDays(), lease);
			lease = this.longestLease;
		}
		int permits = (request.type() == LockType.SEMAPHORE) ? request.permits() : 0;
		LockAttempt attempt = new LockAttempt(request.name(), new KeyId(offer.name, permits, key), offer.provider,
				request.type(), request.permits(), (request.waitTime() != null) ? request.waitTime() : defaultWaitTime,
				request.waitThroughOutage() || this.waitThroughOutage, lease, autoRenewed, this.lockDelay,
				request.maxWaiters(), holdAtLeast, request.reentrant());
		requireCapabilities(request, attempt, offer.capabilities);
		requireNoTokenOfPermits(request, attempt);
		requireLeaseWithinLimits(attempt, offer.limits);
		return attempt;
	}

	private String fullKey(LockRequest request) {
		String fullKey = this.keys.fullKey(request);
		Offer offer = offer(request);
		if (!this.keys.isDefault(request) && !LockKeys.isKept(fullKey, offer.capabilities)) {
			throw new InvalidLockKeyException(
					"Lock '%s': provider %s keeps full keys of printable ASCII without white space, braces and slashes. Use another key, leave the key to the default layout, which escapes it, or use a provider with %s. Providers of this application that have it: %s."
						.formatted(fullKey, offer.name, LockCapability.ANY_KEY,
								capable(Set.of(LockCapability.ANY_KEY))),
					null);
		}
		return fullKey;
	}

	private void requireCapabilities(LockRequest request, LockAttempt attempt, Set<LockCapability> offered) {
		LockCapability ofType = request.type().requiredCapability();
		boolean keepsKey = !this.lockDelay.isZero() || !request.holdAtLeast().isZero();
		boolean delayRefused = keepsKey && !offered.contains(LockCapability.LOCK_DELAY);
		boolean hasRequired = request.requires().isEmpty() || offered.containsAll(request.requires());
		if ((ofType == null || offered.contains(ofType)) && !delayRefused && hasRequired) {
			return;
		}
		Set<LockCapability> missing = EnumSet.noneOf(LockCapability.class);
		missing.addAll(request.requires());
		if (ofType != null) {
			missing.add(ofType);
		}
		if (delayRefused) {
			missing.add(LockCapability.LOCK_DELAY);
		}
		missing.removeAll(offered);
		throw new InvalidLockRequestException(
				"Lock '%s' of type %s needs %s, which provider %s does not have. Providers of this application that have it: %s."
					.formatted(attempt.key(), attempt.type(), missing, attempt.providerName(), capable(missing)),
				"Name another provider, or do without what it lacks.");
	}

	private String capable(Set<LockCapability> capabilities) {
		List<String> capable = this.offers.values()
			.stream()
			.filter((each) -> each.capabilities.containsAll(capabilities))
			.map((each) -> each.name)
			.sorted()
			.toList();
		return capable.isEmpty() ? "none" : capable.toString();
	}

	private static void requireNoTokenOfPermits(LockRequest request, LockAttempt attempt) {
		if (request.type() == LockType.SEMAPHORE && request.requires().contains(LockCapability.FENCING)) {
			throw new InvalidLockRequestException(
					"Lock '%s' is a semaphore and requires FENCING, but permits are held together and have no fencing token."
						.formatted(attempt.key()),
					"Remove the requirement, or use another lock type.");
		}
	}

	private static void requireLeaseWithinLimits(LockAttempt attempt, LeaseLimits limits) {
		if (!limits.allow(attempt.leaseOnBackend())) {
			throw LockErrors.leaseOutsideLimits(attempt, limits, attempt.leaseOnBackend());
		}
		if (!attempt.autoRenewed() && attempt.holdAtLeast().compareTo(attempt.leaseTime()) > 0) {
			throw new InvalidLockRequestException(
					"The minimum hold time of lock '%s' is %s, which is longer than its lease time of %s.".formatted(
							attempt.key(), LockTimes.text(attempt.holdAtLeast()), LockTimes.text(attempt.leaseTime())),
					"Set a longer lease time.");
		}
	}

	private Offer offer(LockRequest request) {
		return (request.provider() != null) ? offer(request.provider()) : this.defaultOffer;
	}

	private Offer offer(String name) {
		Offer offer = this.offers.get(this.unlocked ? UnlockedProvider.NAME : name);
		if (offer == null) {
			throw new UnknownLockProviderException(name, this.offers.keySet());
		}
		return offer;
	}

	/**
	 * A provider with its name, capabilities and limits, which are asked for only once.
	 */
	private record Offer(String name, LockProvider provider, Set<LockCapability> capabilities, LeaseLimits limits) {
	}

}
