package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.distributedlock.CallerContext;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.engine.internal.request.UnlockedProvider;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.SystemRuntime;
import io.distributedlock.event.LockListener;
import io.distributedlock.event.LockObserver;
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

	LockKeyLayout keyLayout = LockKeyLayout.DEFAULT;

	Duration waitTime = Duration.ofSeconds(5);

	@Nullable Duration leaseTime;

	Duration renewalLeaseTime = Duration.ofSeconds(30);

	Duration commandTimeout = Duration.ofSeconds(3);

	Duration pollInterval = Duration.ofMillis(500);

	Duration lockDelay = Duration.ZERO;

	@Nullable Duration handOverWindow;

	int handOverLimit = 1000;

	Duration interopPolling = Duration.ZERO;

	boolean unlocked;

	boolean asyncRelease;

	boolean waitThroughOutage;

	@Nullable Duration warnAfter;

	@Nullable Executor executor;

	@Nullable CallerContext callerContext;

	final List<LockListener> listeners = new ArrayList<>();

	final List<LockObserver> observers = new ArrayList<>();

	@Nullable Function<@Nullable Executor, EngineRuntime> runtime;

	LockTemplateBuilder() {
	}

	/**
	 * Add a provider. The first one is the default unless
	 * {@link #defaultProvider(String)} sets another.
	 * @param provider the provider; its name must not have been added before
	 * @return this builder
	 * @throws IllegalArgumentException if a provider of that name was added before, or
	 * the provider returns no name, capabilities or limits, as a mock does
	 */
	public LockTemplateBuilder provider(LockProvider provider) {
		requireDescribed(provider);
		if (this.providers.putIfAbsent(provider.name(), provider) != null) {
			throw new IllegalArgumentException(
					"There are two lock providers named '%s'. Build a second LockTemplate for the other, or let name() of your own provider return another name."
						.formatted(provider.name()));
		}
		return this;
	}

	/**
	 * Let the template lock nothing, for an application whose locks are switched off:
	 * every call gets a handle at once, whoever else has one and whatever provider it
	 * names, and no backend is asked. The handle has no fencing token, and is never lost.
	 * @return this builder
	 */
	public LockTemplateBuilder unlocked() {
		this.unlocked = true;
		return provider(new UnlockedProvider()).defaultProvider(UnlockedProvider.NAME);
	}

	/**
	 * Refuse a mock of a provider, which returns {@code null} for everything.
	 */
	private static void requireDescribed(LockProvider provider) {
		if (Objects.isNull(provider.name()) || Objects.isNull(provider.capabilities())
				|| Objects.isNull(provider.leaseLimits())) {
			throw new IllegalArgumentException(
					"A lock provider of %s returns null for its name, capabilities or lease limits. If it is a mock, use LocalLockProvider instead, which grants real locks in the JVM."
						.formatted(provider.getClass().getName()));
		}
	}

	/**
	 * Set the provider for requests that name none.
	 * @param name the name of a provider that is added before or after
	 * @return this builder
	 */
	public LockTemplateBuilder defaultProvider(String name) {
		this.defaultProvider = name;
		return this;
	}

	/**
	 * Set the prefix of every key, so that applications and environments that share a
	 * backend do not share locks. Default: none.
	 * @param keyPrefix the prefix, such as {@code shop:lock}; at most 99 characters;
	 * empty for none
	 * @return this builder
	 * @throws IllegalArgumentException if it is too long
	 */
	public LockTemplateBuilder keyPrefix(String keyPrefix) {
		// refuses one that is too long or not well-formed
		LockKeyLayout.DEFAULT.fullKey(keyPrefix, "", "any");
		this.keyPrefix = keyPrefix;
		return this;
	}

	/**
	 * Set how the full key is made of prefix, name and key. Default:
	 * {@link LockKeyLayout#DEFAULT}.
	 * @param keyLayout the layout
	 * @return this builder
	 */
	public LockTemplateBuilder keyLayout(LockKeyLayout keyLayout) {
		this.keyLayout = keyLayout;
		return this;
	}

	/**
	 * Set the wait time of requests that set none. Default: 5 seconds.
	 * @param waitTime the wait time, zero for one attempt
	 * @return this builder
	 */
	public LockTemplateBuilder waitTime(Duration waitTime) {
		this.waitTime = requireNotNegative(waitTime, "wait time");
		return this;
	}

	/**
	 * Set the lease time of requests that set none. Default: none, so leases are renewed
	 * until the lock is released.
	 * @param leaseTime the time after which a lock ends even if its holder still works,
	 * or {@code null}
	 * @return this builder
	 */
	public LockTemplateBuilder leaseTime(@Nullable Duration leaseTime) {
		this.leaseTime = (leaseTime != null) ? requirePositive(leaseTime, "lease time") : null;
		return this;
	}

	/**
	 * Set the length of an auto-renewed lease without a lease time of its own. A lock
	 * stays for at most this long after its holder died. The lease is renewed when a
	 * third of it has passed. Default: 30 seconds.
	 * @param renewalLeaseTime the length
	 * @return this builder
	 */
	public LockTemplateBuilder renewalLeaseTime(Duration renewalLeaseTime) {
		this.renewalLeaseTime = requirePositive(renewalLeaseTime, "lease time of renewal");
		return this;
	}

	/**
	 * Set how long a key stays unavailable after a lease that expired, because its holder
	 * died, was cut off or worked for too long. Requests that the late holder sent before
	 * it stopped may still arrive at a resource in this time. So it helps resources that
	 * cannot check a fencing token. After a release the key is available immediately.
	 * Needs a provider with {@link io.distributedlock.LockCapability#LOCK_DELAY}.
	 * Default: zero. The idea is that of <a href=
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
	 * Set how long the answer to one command may take. A call returns within its wait
	 * time plus this. Default: 3 seconds.
	 * @param commandTimeout the time-out
	 * @return this builder
	 */
	public LockTemplateBuilder commandTimeout(Duration commandTimeout) {
		this.commandTimeout = requirePositive(commandTimeout, "command time-out");
		return this;
	}

	/**
	 * Set after which time a waiting call asks the backend even without a signal of a
	 * release. If the backend sends no signals, waiting calls begin with 20 milliseconds
	 * and increase the interval to this. Default: 500 milliseconds.
	 * @param pollInterval the longest interval between two attempts
	 * @return this builder
	 */
	public LockTemplateBuilder pollInterval(Duration pollInterval) {
		this.pollInterval = requirePositive(pollInterval, "poll interval");
		return this;
	}

	/**
	 * Set for how long callers of this JVM may get an exclusive lock one after the other
	 * while other instances wait for it. In that time the lock passes from caller to
	 * caller without a request to the backend. If nobody else waits, there is no such
	 * limit. A longer time makes a contended key faster, and lets other instances wait
	 * longer.
	 * @param window the time; zero to release the lease each time; {@code null}, which is
	 * the default, for twice {@link LockProvider#handOverTime()}, and at least 3
	 * milliseconds
	 * @return this builder
	 */
	public LockTemplateBuilder handOverWindow(@Nullable Duration window) {
		this.handOverWindow = (window != null) ? requireNotNegative(window, "hand-over window") : null;
		return this;
	}

	/**
	 * Set how many callers of this JVM may get an exclusive lock one after the other
	 * while other instances wait for it. Default: 1,000.
	 * @param limit the number, at least 1
	 * @return this builder
	 */
	public LockTemplateBuilder handOverLimit(int limit) {
		if (limit < 1) {
			throw new IllegalArgumentException("The hand-over limit must be at least 1 but is " + limit);
		}
		this.handOverLimit = limit;
		return this;
	}

	/**
	 * Set how often code of another library asks for the same keys, such as a loop around
	 * {@code SET NX}. Such code leaves no trace while it waits, and would wait long while
	 * instances of this library hand a lock over to each other. With this the lock is
	 * free for a little longer than this time now and then, and calls ask as often as
	 * that code behind a lock of its own. Heeded by the providers on Redis. Default:
	 * zero, there is no such code.
	 * @param interval the time, zero for none
	 * @return this builder
	 */
	public LockTemplateBuilder interopPolling(Duration interval) {
		requireNotNegative(interval, "interval of other libraries");
		this.interopPolling = interval.isZero() ? interval : LockTimes.wholeMillis(interval);
		return this;
	}

	/**
	 * Set whether a call that closes a lock returns before the backend has answered the
	 * release. It saves a round trip. The next caller may then find the lock still taken
	 * for a moment, and a release that fails is only logged, not added to the exception
	 * of the work. Until the release has arrived, or the lease has ended, nobody else has
	 * the lock. A template that closes waits for its releases in any case. Default:
	 * {@code false}.
	 * @param asyncRelease whether to return early
	 * @return this builder
	 */
	public LockTemplateBuilder asyncRelease(boolean asyncRelease) {
		this.asyncRelease = asyncRelease;
		return this;
	}

	/**
	 * Set whether calls wait on while their provider is down, until their wait time is
	 * over. Otherwise they fail at once. A provider is down when it has failed for the
	 * command time-out and does not answer {@link LockProvider#ping()}, which is asked
	 * each second then. It is no longer down when it answers. Default: {@code false}.
	 * @param waitThroughOutage whether to wait
	 * @return this builder
	 */
	public LockTemplateBuilder waitThroughOutage(boolean waitThroughOutage) {
		this.waitThroughOutage = waitThroughOutage;
		return this;
	}

	/**
	 * Set for how long a lock may be held before a warning is logged, with the stack of
	 * the thread that acquired it. Default: none, there are no such warnings. Threads of
	 * this JVM that wait for each other's locks are always reported.
	 * @param warnAfter the time, or {@code null}
	 * @return this builder
	 */
	public LockTemplateBuilder warnAfter(@Nullable Duration warnAfter) {
		this.warnAfter = (warnAfter != null) ? requirePositive(warnAfter, "time after which to warn") : null;
		return this;
	}

	/**
	 * Set the executor for code of the application: callbacks, listeners, what depends on
	 * futures, and asynchronous work. What hears of a loss or an outage runs on a thread
	 * of the template if the executor has not begun with it after 100 ms. Default:
	 * threads of the template for callbacks.
	 * @param executor the executor, which the template does not shut down
	 * @return this builder
	 */
	public LockTemplateBuilder executor(Executor executor) {
		this.executor = executor;
		return this;
	}

	/**
	 * Set what callbacks, asynchronous work and what depends on futures see of the thread
	 * that asked for them. Default: nothing.
	 * @param callerContext captures the context of a thread
	 * @return this builder
	 */
	public LockTemplateBuilder callerContext(CallerContext callerContext) {
		this.callerContext = callerContext;
		return this;
	}

	/**
	 * Add a listener, which is told what happens to the locks of the template. May be
	 * called for several.
	 * @param listener the listener; called on threads of the executor
	 * @return this builder
	 */
	public LockTemplateBuilder listener(LockListener listener) {
		this.listeners.add(listener);
		return this;
	}

	/**
	 * Add an observer of each call, for traces and timers. May be called for several.
	 * @param observer the observer; called on the threads of the callers
	 * @return this builder
	 */
	public LockTemplateBuilder observer(LockObserver observer) {
		this.observers.add(observer);
		return this;
	}

	/**
	 * Set time and threads of the template, for tests. Default: those of the JVM. What it
	 * returns is internal, and changes without notice.
	 * @param runtime makes the runtime of a template that is built, with its
	 * {@link #executor} or {@code null}. The providers must take the time from it, too
	 * @return this builder
	 */
	public LockTemplateBuilder runtime(Function<@Nullable Executor, EngineRuntime> runtime) {
		this.runtime = runtime;
		return this;
	}

	/**
	 * Return after which time to ask without a signal. Other libraries send none.
	 */
	long pollNanos() {
		long ownNanos = LockTimes.saturatedNanos(this.pollInterval);
		return this.interopPolling.isZero() ? ownNanos : Math.min(ownNanos, this.interopPolling.toNanos());
	}

	/**
	 * Build the template.
	 * @return a new template
	 * @throws IllegalStateException if there is no provider
	 * @throws io.distributedlock.UnknownLockProviderException if the default one is not
	 * among them
	 */
	public DefaultLockTemplate build() {
		EngineRuntime threads = (this.runtime != null) ? this.runtime.apply(this.executor)
				: new SystemRuntime(this.executor);
		try {
			return new DefaultLockTemplate(this, threads);
		}
		catch (Throwable ex) {
			threads.close();
			throw ex;
		}
	}

	private static Duration requireNotNegative(Duration duration, String what) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("The %s must not be negative but is %s".formatted(what, duration));
		}
		return duration;
	}

	private static Duration requirePositive(Duration duration, String what) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("The %s must be positive but is %s".formatted(what, duration));
		}
		return duration;
	}

}
