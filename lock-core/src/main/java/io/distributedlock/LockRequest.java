package io.distributedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What to lock, for how long, and how long to wait for it. Immutable; each {@code with}
 * method gives a changed copy. What is not set takes the template's default.
 * <p>
 * A request may stand for several locks, which are had all together or not at all, see
 * {@link #ofAll} and {@link #and}. They are taken in one order that is the same for all
 * callers, so that two calls never wait for each other, and within one wait time that
 * starts with the first.
 *
 * @since 0.1
 */
public final class LockRequest {

	private final String name;

	private final String key;

	private final Options options;

	private final List<LockRequest> others;

	private LockRequest(String name, String key, Options options, List<LockRequest> others) {
		this.name = name;
		this.key = key;
		this.options = options;
		this.others = others;
	}

	/**
	 * Ask for the lock of a key.
	 * @param key what to lock, such as {@code "order:42"}; neither {@code null} nor blank
	 * @return the request, with the defaults of the template
	 * @throws IllegalArgumentException if the key is {@code null} or blank
	 */
	public static LockRequest of(String key) {
		return new LockRequest("", requireText(key, "key"), new Options(), List.of());
	}

	/**
	 * Ask for the locks of several keys, all or none.
	 * @param keys the keys, at least one; duplicates are ignored
	 * @return the request, with the defaults of the template
	 * @throws IllegalArgumentException if there is no key, or one is {@code null} or
	 * blank
	 */
	public static LockRequest ofAll(Collection<String> keys) {
		return of("several").withKeys(keys);
	}

	/**
	 * Ask for further locks together with this one, all or none. Each keeps its own name,
	 * type, provider and times; each is waited for no longer than its own wait time,
	 * counted from the start of the call.
	 * @param other what else to lock
	 * @return a request for both
	 */
	public LockRequest and(LockRequest other) {
		List<LockRequest> all = new ArrayList<>(this.others);
		all.addAll(other.parts());
		return new LockRequest(this.name, this.key, this.options, List.copyOf(all));
	}

	/**
	 * Return what this request asks for, lock by lock.
	 * @return a request for each lock, only this one unless it asks for several
	 */
	public List<LockRequest> parts() {
		if (this.others.isEmpty()) {
			return List.of(this);
		}
		List<LockRequest> parts = new ArrayList<>(this.others.size() + 1);
		parts.add(new LockRequest(this.name, this.key, this.options, List.of()));
		parts.addAll(this.others);
		return parts;
	}

	/**
	 * Set what to lock, and keep the rest: one prepared request can serve many keys.
	 * @param key the key, neither {@code null} nor blank
	 * @return a changed copy, which asks for this key only
	 * @throws IllegalArgumentException if the key is {@code null} or blank
	 */
	public LockRequest withKey(String key) {
		return new LockRequest(this.name, requireText(key, "key"), this.options, List.of());
	}

	/**
	 * Set several keys to lock, all or none, and keep the rest.
	 * @param keys the keys, at least one; duplicates are ignored
	 * @return a changed copy, which asks for these keys only
	 * @throws IllegalArgumentException if there is no key, or one is {@code null} or
	 * blank
	 */
	public LockRequest withKeys(Collection<String> keys) {
		if (keys.isEmpty()) {
			throw new IllegalArgumentException(
					"There is no key to lock: the collection of keys is empty. Check the value that it is made from, or lock under a condition.");
		}
		List<LockRequest> parts = keys.stream().map(this::withKey).toList();
		LockRequest first = parts.get(0);
		return new LockRequest(first.name, first.key, first.options, parts.subList(1, parts.size()));
	}

	/**
	 * Put the key under a name: the same key under two names is two locks.
	 * @param name the name, not blank
	 * @return a changed copy
	 */
	public LockRequest withName(String name) {
		return new LockRequest(requireText(name, "name"), this.key, this.options,
				this.others.stream().map((other) -> other.withName(name)).toList());
	}

	/**
	 * Set how long to wait while others hold the lock.
	 * @param waitTime the time to wait; zero makes one attempt; a duration beyond 73
	 * years waits without end
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withWaitTime(Duration waitTime) {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time of lock '%s' is negative: %s. Use zero for one attempt."
				.formatted(this.key, waitTime));
		}
		return change((options) -> options.waitTime = waitTime);
	}

	/**
	 * Set when the lock ends by itself. Without {@link #withAutoRenew(boolean)} this is a
	 * ceiling: the lock ends then even if its holder still works.
	 * @param leaseTime the time after which the lock ends, at least one millisecond;
	 * shorter ones are rounded up
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public LockRequest withLeaseTime(Duration leaseTime) {
		if (leaseTime.isNegative() || leaseTime.isZero()) {
			throw new IllegalArgumentException(
					"The lease time of lock '%s' must be positive but is %s. Leave it out to keep the lock alive until it is released."
						.formatted(this.key, leaseTime));
		}
		return change((options) -> options.leaseTime = leaseTime);
	}

	/**
	 * Say that the lease is renewed until the lock is released, also where a lease time
	 * is set: that is then the length of a lease that is kept alive. Without a lease time
	 * the lease is always kept alive.
	 * @param autoRenew whether to renew a lease of explicit length
	 * @return a changed copy
	 */
	public LockRequest withAutoRenew(boolean autoRenew) {
		return change((options) -> options.autoRenew = autoRenew);
	}

	/**
	 * Set the kind of lock. A semaphore is asked for by {@link #withPermits}.
	 * @param type the kind
	 * @return a changed copy
	 */
	public LockRequest withType(LockType type) {
		Objects.requireNonNull(type, "type");
		return change((options) -> options.type = type);
	}

	/**
	 * Ask for one permit of a semaphore instead of a lock: up to so many owners hold the
	 * key at a time. All who use a key must give the same number; while a new version of
	 * an application changes it, each caller is admitted by its own number. Sets the type
	 * to {@link LockType#SEMAPHORE}.
	 * @param permits how many permits there are, at least one
	 * @return a changed copy
	 * @throws IllegalArgumentException if there are less than one
	 */
	public LockRequest withPermits(int permits) {
		if (permits < 1) {
			throw new IllegalArgumentException(
					"A semaphore has at least one permit, but '%s' has %d".formatted(this.key, permits));
		}
		return change((options) -> {
			options.type = LockType.SEMAPHORE;
			options.permits = permits;
		});
	}

	/**
	 * Choose the provider by name, where an application has several.
	 * @param provider the name of the provider, not blank
	 * @return a changed copy
	 */
	public LockRequest withProvider(String provider) {
		requireText(provider, "provider");
		return change((options) -> options.provider = provider);
	}

	/**
	 * Say what the provider must be capable of. A request that its provider cannot serve
	 * fails with an error that names the providers which can; it never runs without.
	 * @param capabilities what is needed
	 * @return a changed copy
	 */
	public LockRequest withRequired(LockCapability... capabilities) {
		Set<LockCapability> requires = Set.copyOf(Arrays.asList(capabilities));
		return change((options) -> options.requires = requires);
	}

	/**
	 * Limit the crowd: a call fails at once, with
	 * {@link LockNotAcquiredException.Reason#CROWDED}, when already so many calls of this
	 * JVM wait for the key.
	 * @param maxWaiters how many may wait, zero for none
	 * @return a changed copy
	 * @throws IllegalArgumentException if the number is negative
	 */
	public LockRequest withMaxWaiters(int maxWaiters) {
		if (maxWaiters < 0) {
			throw new IllegalArgumentException(
					"The number of waiters for lock '%s' is negative: %d".formatted(this.key, maxWaiters));
		}
		return change((options) -> options.maxWaiters = maxWaiters);
	}

	/**
	 * Keep the key for a minimum time, even if it is given back earlier: so nodes whose
	 * clocks differ run a scheduled task once. Counts from when the lock was acquired.
	 * Needs {@link LockCapability#LOCK_DELAY}.
	 * @param holdAtLeast the time, zero for none; not beyond an explicit lease time
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withHoldAtLeast(Duration holdAtLeast) {
		if (holdAtLeast.isNegative()) {
			throw new IllegalArgumentException(
					"The time to hold lock '%s' at least is negative: %s".formatted(this.key, holdAtLeast));
		}
		return change((options) -> options.holdAtLeast = holdAtLeast);
	}

	/**
	 * Return the name that the key stands under.
	 * @return the name, empty where none was given
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the key as it was given; where there are several, the first.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return how long to wait.
	 * @return the wait time, {@code null} for the template's default
	 */
	public @Nullable Duration waitTime() {
		return this.options.waitTime;
	}

	/**
	 * Return the length of the lease.
	 * @return the lease time, {@code null} for the template's default
	 */
	public @Nullable Duration leaseTime() {
		return this.options.leaseTime;
	}

	/**
	 * Return whether a lease of explicit length is renewed.
	 * @return {@code true} if so
	 */
	public boolean autoRenew() {
		return this.options.autoRenew;
	}

	/**
	 * Return the kind of lock.
	 * @return the kind
	 */
	public LockType type() {
		return this.options.type;
	}

	/**
	 * Return how many permits a semaphore has.
	 * @return the number, 1 for what is no semaphore
	 */
	public int permits() {
		return this.options.permits;
	}

	/**
	 * Return the name of the provider.
	 * @return the provider's name, {@code null} for the default one
	 */
	public @Nullable String provider() {
		return this.options.provider;
	}

	/**
	 * Return what the provider must be capable of.
	 * @return the capabilities beyond those that the kind of lock implies
	 */
	public Set<LockCapability> requires() {
		return this.options.requires;
	}

	/**
	 * Return how many calls of this JVM may wait for the key.
	 * @return the number, {@link Integer#MAX_VALUE} for no limit
	 */
	public int maxWaiters() {
		return this.options.maxWaiters;
	}

	/**
	 * Return how long the key is kept at least.
	 * @return the time, zero for none
	 */
	public Duration holdAtLeast() {
		return this.options.holdAtLeast;
	}

	@Override
	public String toString() {
		if (!this.others.isEmpty()) {
			return "LockRequest" + parts();
		}
		return "LockRequest[name=%s, key=%s, type=%s, permits=%s, waitTime=%s, leaseTime=%s, autoRenew=%s, holdAtLeast=%s, maxWaiters=%s, provider=%s, requires=%s]"
			.formatted(this.name, this.key, type(), permits(), waitTime(), leaseTime(), autoRenew(), holdAtLeast(),
					maxWaiters(), provider(), requires());
	}

	private LockRequest change(Consumer<Options> change) {
		Options changed = new Options(this.options);
		change.accept(changed);
		return new LockRequest(this.name, this.key, changed,
				this.others.stream().map((other) -> other.change(change)).toList());
	}

	private static String requireText(@Nullable String text, String what) {
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("The %s of a lock must not be %s. Check the value that it is made from."
				.formatted(what, (text != null) ? "blank" : "null"));
		}
		return text;
	}

	/**
	 * What requests for different keys have in common. Not changed after a request was
	 * made with it.
	 */
	private static final class Options {

		private @Nullable Duration waitTime;

		private @Nullable Duration leaseTime;

		private boolean autoRenew;

		private LockType type = LockType.EXCLUSIVE;

		private int permits = 1;

		private @Nullable String provider;

		private Set<LockCapability> requires = Set.of();

		private int maxWaiters = Integer.MAX_VALUE;

		private Duration holdAtLeast = Duration.ZERO;

		Options() {
		}

		Options(Options other) {
			this.waitTime = other.waitTime;
			this.leaseTime = other.leaseTime;
			this.autoRenew = other.autoRenew;
			this.type = other.type;
			this.permits = other.permits;
			this.provider = other.provider;
			this.requires = other.requires;
			this.maxWaiters = other.maxWaiters;
			this.holdAtLeast = other.holdAtLeast;
		}

	}

}
