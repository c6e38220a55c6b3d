package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
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

	private final Map<String, Offer> offers = new LinkedHashMap<>();

	private final Offer defaultOffer;

	private final LockKeyFormat keyFormat;

	private final Duration waitTime;

	private final @Nullable Duration leaseTime;

	private final Duration renewalLeaseTime;

	private final Duration lockDelay;

	LockAttempts(LockTemplateBuilder builder) {
		if (builder.providers.isEmpty()) {
			throw new IllegalStateException("A lock template needs at least one lock provider");
		}
		builder.providers.forEach((name, provider) -> this.offers.put(name,
				new Offer(provider, Set.copyOf(provider.capabilities()), provider.leaseLimits())));
		this.defaultOffer = (builder.defaultProvider != null) ? offer(builder.defaultProvider)
				: this.offers.values().iterator().next();
		this.keyFormat = new LockKeyFormat(builder.keyPrefix);
		this.waitTime = builder.waitTime;
		this.leaseTime = builder.leaseTime;
		this.renewalLeaseTime = builder.renewalLeaseTime;
		this.lockDelay = builder.lockDelay;
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
	 * Return the attempts at all locks of a request, in the one order that is the same
	 * for every caller. A key that is asked for twice is taken once, and not for reading
	 * only if one part wants more.
	 */
	private List<LockAttempt> attempts(LockRequest request, Duration defaultWaitTime) {
		Map<String, LockAttempt> attempts = new TreeMap<>();
		for (LockRequest part : request.parts()) {
			LockAttempt attempt = attempt(part, defaultWaitTime);
			attempts.merge(attempt.lane(), attempt,
					(first, second) -> (first.type() == LockType.READ) ? second : first);
		}
		return List.copyOf(attempts.values());
	}

	private LockAttempt attempt(LockRequest request, Duration defaultWaitTime) {
		Offer offer = (request.provider() != null) ? offer(request.provider()) : this.defaultOffer;
		Duration ceiling = (request.leaseTime() != null) ? request.leaseTime() : this.leaseTime;
		boolean renewed = ceiling == null || request.autoRenew();
		Duration lease = LockTimes.wholeMillis((ceiling != null) ? ceiling : this.renewalLeaseTime);
		Duration holdAtLeast = LockTimes.saturated(request.holdAtLeast());
		if (renewed && lease.compareTo(holdAtLeast) < 0) {
			// so the key is kept for that long also if its holder dies
			lease = LockTimes.wholeMillis(holdAtLeast);
		}
		Duration longest = LeaseLimits.DEFAULT.longest().minus(this.lockDelay);
		if (lease.compareTo(longest) > 0) {
			logger.warn("The lease time of lock '{}' is cut to {} days: no backend can be trusted with {}",
					request.key(), longest.toDays(), lease);
			lease = longest;
		}
		LockAttempt attempt = new LockAttempt(this.keyFormat.format(request), offer.provider, request.type(),
				request.permits(), (request.waitTime() != null) ? request.waitTime() : defaultWaitTime, lease, renewed,
				this.lockDelay, request.maxWaiters(), holdAtLeast);
		requireCapabilities(request, attempt, offer.capabilities);
		requireLeaseWithinLimits(attempt, offer.limits);
		return attempt;
	}

	private void requireCapabilities(LockRequest request, LockAttempt attempt, Set<LockCapability> offered) {
		LockCapability ofKind = request.type().requiredCapability();
		boolean keepsKey = !this.lockDelay.isZero() || !request.holdAtLeast().isZero();
		boolean delayRefused = keepsKey && !offered.contains(LockCapability.LOCK_DELAY);
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
		List<String> capable = this.offers.values()
			.stream()
			.filter((each) -> each.capabilities.containsAll(missing))
			.map((each) -> each.provider.name())
			.sorted()
			.toList();
		throw new IllegalArgumentException(
				"Lock '%s' of type %s needs %s, which provider %s does not have. Providers of this application that have it: %s."
					.formatted(attempt.key(), attempt.type(), missing, attempt.provider().name(),
							capable.isEmpty() ? "none" : capable));
	}

	private static void requireLeaseWithinLimits(LockAttempt attempt, LeaseLimits limits) {
		if (!limits.allow(attempt.leaseOnBackend())) {
			throw LockErrors.leaseOutsideLimits(attempt, limits, attempt.leaseOnBackend());
		}
		if (!attempt.renewed() && attempt.holdAtLeast().compareTo(attempt.leaseTime()) > 0) {
			throw new IllegalArgumentException(
					"Lock '%s' is to be held for at least %s, which is beyond its lease time of %s: it may end before. Set a longer lease time."
						.formatted(attempt.key(), LockTimes.text(attempt.holdAtLeast()),
								LockTimes.text(attempt.leaseTime())));
		}
	}

	private Offer offer(String name) {
		Offer offer = this.offers.get(name);
		if (offer == null) {
			throw new IllegalArgumentException("There is no lock provider named '%s'. Those that there are: %s"
				.formatted(name, this.offers.keySet().stream().sorted().toList()));
		}
		return offer;
	}

	/**
	 * A provider with what it has said of itself, which need not be asked at each call.
	 */
	private record Offer(LockProvider provider, Set<LockCapability> capabilities, LeaseLimits limits) {
	}

}
