package io.distributedlock.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link DefaultLockTemplate}. Not thread-safe.
 *
 * @since 0.1
 */
public final class LockTemplateBuilder {

	private static final Duration MAX_LOCK_DELAY = Duration.ofDays(1);

	final Map<String, LockProvider> providers = new LinkedHashMap<>();

	@Nullable String defaultProvider;

	String keyPrefix = "";

	Duration waitTime = Duration.ofSeconds(5);

	@Nullable Duration leaseTime;

	Duration renewalLeaseTime = Duration.ofSeconds(30);

	Duration commandTimeout = Duration.ofSeconds(3);

	Duration pollInterval = Duration.ofMillis(500);

	Duration lockDelay = Duration.ZERO;

	@Nullable Executor executor;

	@Nullable Consumer<LockLostException> lossListener;

	/**
	 * Time and threads of a simulation, {@code null} for those of the JVM.
	 */
	@Nullable EngineRuntime runtime;

	LockTemplateBuilder() {
	}

	/**
	 * Add a provider. The first one added is the default unless
	 * {@link #defaultProvider(String)} says otherwise.
	 * @param provider the provider; its name must not have been added before
	 * @return this builder
	 * @throws IllegalArgumentException if the name has been added before, or the provider
	 * does not describe itself, as a mock does not
	 */
	public LockTemplateBuilder provider(LockProvider provider) {
		requireDescribed(provider);
		if (this.providers.putIfAbsent(provider.name(), provider) != null) {
			throw new IllegalArgumentException(
					"There are two lock providers named '%s'. Give each a name of its own.".formatted(provider.name()));
		}
		return this;
	}

	/**
	 * A mock of a provider describes nothing.
	 */
	private static void requireDescribed(LockProvider provider) {
		if (Objects.isNull(provider.name()) || Objects.isNull(provider.capabilities())
				|| Objects.isNull(provider.leaseLimits())) {
			throw new IllegalArgumentException(
					"A lock provider of %s returns null for its name, capabilities or lease limits. Tests need no mock of it: LocalLockProvider grants real locks in the JVM."
						.formatted(provider.getClass().getName()));
		}
	}

	/**
	 * Set which provider serves requests that name none.
	 * @param name the name of a provider that is added
	 * @return this builder
	 */
	public LockTemplateBuilder defaultProvider(String name) {
		this.defaultProvider = name;
		return this;
	}

	/**
	 * Set what every key starts with, so that applications and environments which share a
	 * backend do not share locks. Default: nothing.
	 * @param keyPrefix the prefix, such as {@code shop:lock}; at most 99 characters
	 * @return this builder
	 */
	public LockTemplateBuilder keyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
		return this;
	}

	/**
	 * Set how long calls wait that set no wait time. Default: 5 seconds.
	 * @param waitTime the wait time, zero for one attempt
	 * @return this builder
	 */
	public LockTemplateBuilder waitTime(Duration waitTime) {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time must not be negative but is " + waitTime);
		}
		this.waitTime = waitTime;
		return this;
	}

	/**
	 * Set the lease of calls that set none. Default: none, which keeps a lease alive
	 * until the lock is given back.
	 * @param leaseTime the time after which a lock ends even if its holder still works,
	 * or {@code null}
	 * @return this builder
	 */
	public LockTemplateBuilder leaseTime(@Nullable Duration leaseTime) {
		this.leaseTime = (leaseTime != null) ? requirePositive(leaseTime, "lease time") : null;
		return this;
	}

	/**
	 * Set the length of a lease that is kept alive: how long a lock stays after its
	 * holder died. It is renewed each third of it. Default: 30 seconds.
	 * @param renewalLeaseTime the length
	 * @return this builder
	 */
	public LockTemplateBuilder renewalLeaseTime(Duration renewalLeaseTime) {
		this.renewalLeaseTime = requirePositive(renewalLeaseTime, "lease time of renewal");
		return this;
	}

	/**
	 * Set how long a key stays unavailable after a lease that ended without a release,
	 * because its holder died, was cut off or worked beyond it. It protects resources
	 * that cannot check a fencing token from what the late holder had sent before it
	 * stopped. A release makes the key available at once. Needs a provider with
	 * {@link io.distributedlock.LockCapability#LOCK_DELAY}. Default: zero. The idea is
	 * that of <a href=
	 * "https://research.google/pubs/the-chubby-lock-service-for-loosely-coupled-distributed-systems/">Chubby</a>,
	 * section 2.4.
	 * @param lockDelay the time, zero for none
	 * @return this builder
	 */
	public LockTemplateBuilder lockDelay(Duration lockDelay) {
		if (lockDelay.isNegative() || lockDelay.compareTo(MAX_LOCK_DELAY) > 0) {
			throw new IllegalArgumentException(
					"The lock delay must be from zero to %s but is %s".formatted(MAX_LOCK_DELAY, lockDelay));
		}
		this.lockDelay = LockTimes.wholeMillis(lockDelay);
		return this;
	}

	/**
	 * Set how long one command to a backend may take before it is given up. A call
	 * returns within its wait time plus this. Default: 3 seconds.
	 * @param commandTimeout the time-out
	 * @return this builder
	 */
	public LockTemplateBuilder commandTimeout(Duration commandTimeout) {
		this.commandTimeout = requirePositive(commandTimeout, "command time-out");
		return this;
	}

	/**
	 * Set how long a waiting call relies on the backend's signal of a release before it
	 * asks anyway. Where the backend has no signal, waiting calls start with shorter
	 * intervals and grow them to this. Default: 500 milliseconds.
	 * @param pollInterval the longest interval between two questions
	 * @return this builder
	 */
	public LockTemplateBuilder pollInterval(Duration pollInterval) {
		this.pollInterval = requirePositive(pollInterval, "poll interval");
		return this;
	}

	/**
	 * Set what runs the continuations of futures and the callbacks for a loss. Default:
	 * threads of the template's own.
	 * @param executor the executor, which the template does not shut down
	 * @return this builder
	 */
	public LockTemplateBuilder executor(Executor executor) {
		this.executor = executor;
		return this;
	}

	/**
	 * Set what is told of every lock that is lost while it is held, beside the callbacks
	 * of its handles. Called on a thread of the executor.
	 * @param lossListener the listener; what it throws is logged
	 * @return this builder
	 */
	public LockTemplateBuilder lossListener(Consumer<LockLostException> lossListener) {
		this.lossListener = lossListener;
		return this;
	}

	/**
	 * Build the template.
	 * @return a new template
	 * @throws IllegalStateException if there is no provider, or not the default one
	 */
	public DefaultLockTemplate build() {
		return new DefaultLockTemplate(this);
	}

	private static Duration requirePositive(Duration duration, String what) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("The %s must be positive but is %s".formatted(what, duration));
		}
		return duration;
	}

}
