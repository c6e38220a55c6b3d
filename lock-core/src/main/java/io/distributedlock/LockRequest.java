package io.distributedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * What to lock, for how long, and how long to wait for it. Immutable; each {@code with}
 * method returns a changed copy. The template's default applies to what is not set.
 * <p>
 * A request may be for several locks: all of them are acquired, or none, see
 * {@link #ofAll} and {@link #and}. All callers acquire them in the same order, so two
 * calls never wait for each other.
 *
 * @since 0.1
 */
public final class LockRequest {

	private static final Options DEFAULTS = new Options();

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
	 * @throws InvalidLockKeyException if the key is {@code null} or blank
	 */
	public static LockRequest of(String key) {
		return new LockRequest("", requireText(key, "key"), DEFAULTS, List.of());
	}

	/**
	 * Ask for a lock that has a name and no key, such as that of a job.
	 * @param name the name, not blank
	 * @return the request, with the defaults of the template
	 */
	public static LockRequest ofName(String name) {
		return new LockRequest(requireText(name, "name"), "", DEFAULTS, List.of());
	}

	/**
	 * Ask for the lock with exactly this full key, see {@link #withExactKey}.
	 * @param key the full key, such as {@code "order_42"}
	 * @return the request, with the defaults of the template
	 * @throws InvalidLockKeyException if the key is {@code null} or blank
	 */
	public static LockRequest ofExactKey(String key) {
		return of(key).withExactKey(true);
	}

	/**
	 * Ask for the locks of several keys, all or none.
	 * @param keys the keys, at least one; duplicates are ignored
	 * @return the request, with the defaults of the template
	 * @throws InvalidLockKeyException if there is no key, or one is {@code null} or blank
	 */
	public static LockRequest ofAll(Collection<String> keys) {
		return of("several").withKeys(keys);
	}

	/**
	 * Add the locks of another request, all or none. Each lock keeps its own name, type,
	 * provider and times. The call waits for each lock no longer than that lock's wait
	 * time, counted from the start of the call.
	 * @param other the other request
	 * @return a request for both
	 */
	public LockRequest and(LockRequest other) {
		List<LockRequest> all = new ArrayList<>(this.others);
		all.addAll(other.parts());
		return new LockRequest(this.name, this.key, this.options, List.copyOf(all));
	}

	/**
	 * Return this request, lock by lock.
	 * @return a request for each lock; only this one if it is for one lock
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
	 * Set the key and keep everything else, so that one prepared request can serve many
	 * keys.
	 * @param key the key, neither {@code null} nor blank
	 * @return a changed copy, for this key only
	 * @throws InvalidLockKeyException if the key is {@code null} or blank
	 */
	public LockRequest withKey(String key) {
		return new LockRequest(this.name, requireText(key, "key"), this.options, List.of());
	}

	/**
	 * Set several keys, all or none, and keep everything else.
	 * @param keys the keys, at least one; duplicates are ignored
	 * @return a changed copy, for these keys only
	 * @throws InvalidLockKeyException if there is no key, or one is {@code null} or blank
	 */
	public LockRequest withKeys(Collection<String> keys) {
		if (keys.isEmpty()) {
			throw new InvalidLockKeyException(
					"There is no key to lock: the collection of keys is empty. Check where it comes from, or lock under a condition.",
					null);
		}
		List<LockRequest> parts = keys.stream().map(this::withKey).toList();
		LockRequest first = parts.get(0);
		return new LockRequest(first.name, first.key, first.options, parts.subList(1, parts.size()));
	}

	/**
	 * Set the name. The same key under two names is two locks.
	 * @param name the name, not blank
	 * @return a changed copy
	 */
	public LockRequest withName(String name) {
		return new LockRequest(requireText(name, "name"), this.key, this.options,
				changeOthers((other) -> other.withName(name)));
	}

	/**
	 * Set whether the key is the full key: what the backend sees, without the prefix and
	 * the name, and not escaped. So code that locks the same key by other means can be
	 * excluded. The name only tells meters and events what was locked. A call fails with
	 * {@link InvalidLockKeyException} if the key has control characters or more than 200
	 * bytes in UTF-8, or if its provider cannot keep it, see
	 * {@link LockCapability#ANY_KEY}. Default: {@code false}.
	 * @param exactKey whether the key is the full key
	 * @return a changed copy
	 */
	public LockRequest withExactKey(boolean exactKey) {
		return change((options) -> options.exactKey = exactKey);
	}

	/**
	 * Set how long to wait while others hold the lock.
	 * @param waitTime the time to wait; zero makes one attempt; a duration beyond 73
	 * years waits without end, though not through an outage, see
	 * {@link #withWaitThroughOutage}
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withWaitTime(Duration waitTime) {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time of lock '%s' is negative: %s. Use zero for one attempt."
				.formatted(text(), waitTime));
		}
		return change((options) -> options.waitTime = waitTime);
	}

	/**
	 * Set whether the call waits on while the backend fails, until its wait time is over.
	 * Otherwise it ends with {@link LockUnavailableException} when the provider is known
	 * to be down. If it waits without end, it also ends when the backend has failed for
	 * one command time-out, has given no good answer meanwhile, and then fails once more.
	 * If such a call waits on, a warning in the log says so then, and each minute.
	 * Default: {@code false}.
	 * @param waitThroughOutage whether to wait on
	 * @return a changed copy
	 */
	public LockRequest withWaitThroughOutage(boolean waitThroughOutage) {
		return change((options) -> options.waitThroughOutage = waitThroughOutage);
	}

	/**
	 * Set the lease time. Without {@link #withAutoRenew(boolean)} the lock ends after
	 * this time even if its holder still works.
	 * @param leaseTime the time after which the lock ends, at least one millisecond;
	 * shorter ones are rounded up
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public LockRequest withLeaseTime(Duration leaseTime) {
		if (leaseTime.isNegative() || leaseTime.isZero()) {
			throw new IllegalArgumentException(
					"The lease time of lock '%s' must be positive but is %s. If neither the request nor the template sets a lease time, the lease is renewed until the lock is released."
						.formatted(text(), leaseTime));
		}
		return change((options) -> options.leaseTime = leaseTime);
	}

	/**
	 * Set whether the lease is renewed until the lock is released, whatever lease time
	 * the template has. The lease time of the request, if there is one, is then the
	 * length of each term. A lease is always renewed if neither of them sets a lease
	 * time.
	 * @param autoRenew whether to renew the lease
	 * @return a changed copy
	 */
	public LockRequest withAutoRenew(boolean autoRenew) {
		return change((options) -> options.autoRenew = autoRenew);
	}

	/**
	 * Set whether a caller that has the lock acquires it again without waiting, and
	 * whether calls inside it may do so. Switch it off where a handle outlives the work
	 * of its thread: otherwise the next task on that thread, which still counts as inside
	 * the lock, would get it as well. A caller that then asks for the lock a second time
	 * waits for itself until its wait time is over. Default: {@code true}.
	 * @param reentrant whether the lock can be re-entered
	 * @return a changed copy
	 */
	public LockRequest withReentrant(boolean reentrant) {
		return change((options) -> options.reentrant = reentrant);
	}

	/**
	 * Set the lock type. For a semaphore use {@link #withPermits}.
	 * @param type the lock type
	 * @return a changed copy
	 */
	public LockRequest withType(LockType type) {
		Objects.requireNonNull(type, "type");
		return change((options) -> options.type = type);
	}

	/**
	 * Request one permit of a semaphore instead of a lock: up to so many owners hold the
	 * key at a time. All callers must use the same number for a key. While a new version
	 * of an application changes the number, each caller is admitted by its own number.
	 * Sets the type to {@link LockType#SEMAPHORE}.
	 * @param permits how many permits the semaphore has, at least one
	 * @return a changed copy
	 * @throws IllegalArgumentException if the number is less than one
	 */
	public LockRequest withPermits(int permits) {
		if (permits < 1) {
			throw new IllegalArgumentException(
					"A semaphore has at least one permit, but '%s' has %s".formatted(text(), permits));
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
	 * Set the capabilities that the provider must have. A request that its provider
	 * cannot serve fails with an error that names the providers that can; it never runs
	 * without.
	 * @param capabilities the required capabilities
	 * @return a changed copy
	 */
	public LockRequest withRequired(LockCapability... capabilities) {
		Set<LockCapability> requires = Set.copyOf(Arrays.asList(capabilities));
		return change((options) -> options.requires = requires);
	}

	/**
	 * Limit the number of waiters: a call fails immediately, with
	 * {@link LockNotAcquiredException.Reason#CROWDED}, if so many calls of this JVM wait
	 * for the key already.
	 * @param maxWaiters how many calls may wait, zero for none
	 * @return a changed copy
	 * @throws IllegalArgumentException if the number is negative
	 */
	public LockRequest withMaxWaiters(int maxWaiters) {
		if (maxWaiters < 0) {
			throw new IllegalArgumentException(
					"The number of waiters for lock '%s' is negative: %s".formatted(text(), maxWaiters));
		}
		return change((options) -> options.maxWaiters = maxWaiters);
	}

	/**
	 * Set the minimum hold time: the key stays taken for this time, counted from the
	 * acquisition, even if the work ends earlier. So nodes whose clocks differ run a
	 * scheduled task once. Needs {@link LockCapability#LOCK_DELAY}.
	 * @param holdAtLeast the time, zero for none; not longer than the lease time, if one
	 * is set
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withHoldAtLeast(Duration holdAtLeast) {
		if (holdAtLeast.isNegative()) {
			throw new IllegalArgumentException(
					"The minimum hold time of lock '%s' is negative: %s".formatted(text(), holdAtLeast));
		}
		return change((options) -> options.holdAtLeast = holdAtLeast);
	}

	/**
	 * Return the name.
	 * @return the name, empty if none was set
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the key as it was given; the first one if there are several.
	 * @return the key, empty if there is only a name
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return name and key for a message.
	 * @return {@code name:key}, or the one that there is
	 */
	public String text() {
		return this.name.isEmpty() ? this.key : this.key.isEmpty() ? this.name : this.name + ":" + this.key;
	}

	/**
	 * Return whether the key is the full key.
	 * @return {@code false} unless {@link #withExactKey} says otherwise
	 */
	public boolean exactKey() {
		return this.options.exactKey;
	}

	/**
	 * Return how long to wait.
	 * @return the wait time, {@code null} for the template's default
	 */
	public @Nullable Duration waitTime() {
		return this.options.waitTime;
	}

	/**
	 * Return whether the call waits on while the backend fails.
	 * @return {@code false} unless {@link #withWaitThroughOutage} says otherwise
	 */
	public boolean waitThroughOutage() {
		return this.options.waitThroughOutage;
	}

	/**
	 * Return the length of the lease.
	 * @return the lease time, {@code null} for the template's default
	 */
	public @Nullable Duration leaseTime() {
		return this.options.leaseTime;
	}

	/**
	 * Return whether the lease is renewed although there is a lease time.
	 * @return {@code false} unless {@link #withAutoRenew} says otherwise
	 */
	public boolean autoRenew() {
		return this.options.autoRenew;
	}

	/**
	 * Return whether the lock can be re-entered.
	 * @return {@code true} unless {@link #withReentrant} says otherwise
	 */
	public boolean reentrant() {
		return this.options.reentrant;
	}

	/**
	 * Return the lock type.
	 * @return the lock type
	 */
	public LockType type() {
		return this.options.type;
	}

	/**
	 * Return how many permits a semaphore has.
	 * @return the number, 1 if this is no semaphore
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
	 * Return the capabilities that the provider must have.
	 * @return the capabilities, without those that the lock type needs anyway
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
	 * Return the minimum hold time.
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
		return "LockRequest[name=%s, key=%s, exactKey=%s, type=%s, permits=%s, waitTime=%s, waitThroughOutage=%s, leaseTime=%s, autoRenew=%s, reentrant=%s, holdAtLeast=%s, maxWaiters=%s, provider=%s, requires=%s]"
			.formatted(this.name, this.key, exactKey(), type(), permits(), waitTime(), waitThroughOutage(), leaseTime(),
					autoRenew(), reentrant(), holdAtLeast(), maxWaiters(), provider(), requires());
	}

	private LockRequest change(Consumer<Options> change) {
		Options changed = this.options.clone();
		change.accept(changed);
		return new LockRequest(this.name, this.key, changed, changeOthers((other) -> other.change(change)));
	}

	private List<LockRequest> changeOthers(UnaryOperator<LockRequest> change) {
		return this.others.isEmpty() ? this.others : this.others.stream().map(change).toList();
	}

	private static String requireText(@Nullable String text, String what) {
		if (text == null || text.isBlank()) {
			String message = "The %s of a lock must not be %s. Check where it comes from.".formatted(what,
					(text != null) ? "blank" : "null");
			throw what.equals("key") ? new InvalidLockKeyException(message, null)
					: new IllegalArgumentException(message);
		}
		return text;
	}

	/**
	 * What requests for different keys have in common. It does not change once a request
	 * refers to it.
	 */
	private static final class Options implements Cloneable {

		private boolean exactKey;

		private @Nullable Duration waitTime;

		private boolean waitThroughOutage;

		private @Nullable Duration leaseTime;

		private boolean autoRenew;

		private boolean reentrant = true;

		private LockType type = LockType.EXCLUSIVE;

		private int permits = 1;

		private @Nullable String provider;

		private Set<LockCapability> requires = Set.of();

		private int maxWaiters = Integer.MAX_VALUE;

		private Duration holdAtLeast = Duration.ZERO;

		@Override
		protected Options clone() {
			try {
				return (Options) super.clone();
			}
			catch (CloneNotSupportedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
