package io.distributedlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What to lock, for how long, and how long to wait for it. Immutable; each {@code with}
 * method gives a changed copy. What is not set takes the template's default.
 *
 * @since 0.1
 */
public final class LockRequest {

	private final String name;

	private final String key;

	private final @Nullable Duration waitTime;

	private final @Nullable Duration leaseTime;

	private final boolean autoRenew;

	private final LockType type;

	private final @Nullable String provider;

	private final Set<LockCapability> requires;

	private LockRequest(String name, String key, @Nullable Duration waitTime, @Nullable Duration leaseTime,
			boolean autoRenew, LockType type, @Nullable String provider, Set<LockCapability> requires) {
		this.name = name;
		this.key = key;
		this.waitTime = waitTime;
		this.leaseTime = leaseTime;
		this.autoRenew = autoRenew;
		this.type = type;
		this.provider = provider;
		this.requires = requires;
	}

	/**
	 * Ask for the lock of a key.
	 * @param key what to lock, such as {@code "order:42"}; neither {@code null} nor blank
	 * @return the request, with the defaults of the template
	 * @throws IllegalArgumentException if the key is {@code null} or blank
	 */
	public static LockRequest of(String key) {
		return new LockRequest("", requireText(key, "key"), null, null, false, LockType.EXCLUSIVE, null, Set.of());
	}

	/**
	 * Set what to lock, and keep the rest: one prepared request can serve many keys.
	 * @param key the key, neither {@code null} nor blank
	 * @return a changed copy
	 * @throws IllegalArgumentException if the key is {@code null} or blank
	 */
	public LockRequest withKey(String key) {
		return new LockRequest(this.name, requireText(key, "key"), this.waitTime, this.leaseTime, this.autoRenew,
				this.type, this.provider, this.requires);
	}

	/**
	 * Put the key under a name: the same key under two names is two locks.
	 * @param name the name, not blank
	 * @return a changed copy
	 */
	public LockRequest withName(String name) {
		return new LockRequest(requireText(name, "name"), this.key, this.waitTime, this.leaseTime, this.autoRenew,
				this.type, this.provider, this.requires);
	}

	/**
	 * Set how long to wait while others hold the lock.
	 * @param waitTime the time to wait; zero makes one attempt; a duration beyond 292
	 * years waits without end
	 * @return a changed copy
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withWaitTime(Duration waitTime) {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time of lock '%s' is negative: %s. Use zero for one attempt."
				.formatted(this.key, waitTime));
		}
		return new LockRequest(this.name, this.key, waitTime, this.leaseTime, this.autoRenew, this.type, this.provider,
				this.requires);
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
		return new LockRequest(this.name, this.key, this.waitTime, leaseTime, this.autoRenew, this.type, this.provider,
				this.requires);
	}

	/**
	 * Say that the lease is renewed until the lock is released, also where a lease time
	 * is set: that is then the length of a lease that is kept alive. Without a lease time
	 * the lease is always kept alive.
	 * @param autoRenew whether to renew a lease of explicit length
	 * @return a changed copy
	 */
	public LockRequest withAutoRenew(boolean autoRenew) {
		return new LockRequest(this.name, this.key, this.waitTime, this.leaseTime, autoRenew, this.type, this.provider,
				this.requires);
	}

	/**
	 * Set the kind of lock.
	 * @param type the kind
	 * @return a changed copy
	 */
	public LockRequest withType(LockType type) {
		return new LockRequest(this.name, this.key, this.waitTime, this.leaseTime, this.autoRenew,
				Objects.requireNonNull(type, "type"), this.provider, this.requires);
	}

	/**
	 * Choose the provider by name, where an application has several.
	 * @param provider the name of the provider, not blank
	 * @return a changed copy
	 */
	public LockRequest withProvider(String provider) {
		return new LockRequest(this.name, this.key, this.waitTime, this.leaseTime, this.autoRenew, this.type,
				requireText(provider, "provider"), this.requires);
	}

	/**
	 * Say what the provider must be capable of. A request that its provider cannot serve
	 * fails with an error that names the providers which can; it never runs without.
	 * @param capabilities what is needed
	 * @return a changed copy
	 */
	public LockRequest withRequired(LockCapability... capabilities) {
		return new LockRequest(this.name, this.key, this.waitTime, this.leaseTime, this.autoRenew, this.type,
				this.provider, Set.copyOf(Arrays.asList(capabilities)));
	}

	/**
	 * Return the name that the key stands under.
	 * @return the name, empty where none was given
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the key as it was given.
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
		return this.waitTime;
	}

	/**
	 * Return the length of the lease.
	 * @return the lease time, {@code null} for the template's default
	 */
	public @Nullable Duration leaseTime() {
		return this.leaseTime;
	}

	/**
	 * Return whether a lease of explicit length is renewed.
	 * @return {@code true} if so
	 */
	public boolean autoRenew() {
		return this.autoRenew;
	}

	/**
	 * Return the kind of lock.
	 * @return the kind
	 */
	public LockType type() {
		return this.type;
	}

	/**
	 * Return the name of the provider.
	 * @return the provider's name, {@code null} for the default one
	 */
	public @Nullable String provider() {
		return this.provider;
	}

	/**
	 * Return what the provider must be capable of.
	 * @return the capabilities beyond those that the kind of lock implies
	 */
	public Set<LockCapability> requires() {
		return this.requires;
	}

	@Override
	public String toString() {
		return "LockRequest[name=%s, key=%s, waitTime=%s, leaseTime=%s, autoRenew=%s, type=%s, provider=%s, requires=%s]"
			.formatted(this.name, this.key, this.waitTime, this.leaseTime, this.autoRenew, this.type, this.provider,
					this.requires);
	}

	private static String requireText(@Nullable String text, String what) {
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("The %s of a lock must not be %s. Check the value that it is made from."
				.formatted(what, (text != null) ? "blank" : "null"));
		}
		return text;
	}

}
