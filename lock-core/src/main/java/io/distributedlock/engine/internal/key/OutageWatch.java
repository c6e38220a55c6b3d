package io.distributedlock.engine.internal.key;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.NoAnswerException;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which providers are down, so that not each call finds it out by its own wait. A
 * call that fails makes it ask the provider, at once and then each second, with
 * {@link LockProvider#ping()}. If these questions fail for the command time-out, the
 * provider is down: the calls that ask it end, and new ones fail at once. A good answer,
 * to a call or to a question, ends that. One call in a second is let through all the
 * same: a provider whose ping fails for a reason of its own must not refuse calls for
 * ever. A failure that concerns only some keys takes nothing down, as the provider
 * answers the question. This is a circuit breaker as in Nygard, Release It!, 2007.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/056-calls-fail-early-in-an-outage.md
 */
public final class OutageWatch {

	private static final Logger logger = LoggerFactory.getLogger(OutageWatch.class);

	static final long ASK_EACH_NANOS = Duration.ofSeconds(1).toNanos();

	private final EngineRuntime runtime;

	private final Timers timers;

	private final ProviderCalls providerCalls;

	private final CallsUnderWay calls;

	private final Listeners listeners;

	/**
	 * By the name of the provider; those that answer are not in it.
	 */
	private final ConcurrentHashMap<String, Outage> outages = new ConcurrentHashMap<>();

	public OutageWatch(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, CallsUnderWay calls,
			Listeners listeners) {
		this.runtime = runtime;
		this.timers = timers;
		this.providerCalls = providerCalls;
		this.calls = calls;
		this.listeners = listeners;
	}

	/**
	 * Note a good answer of a provider.
	 * @param provider its name
	 */
	void answered(String provider) {
		if (!this.outages.isEmpty()) {
			// the answer may have brought a lease, whoever fails to hear of it
			Guard.run("noting a good answer", () -> {
				Outage ended = this.outages.remove(provider);
				if (ended != null) {
					ended.end("answers again");
				}
			});
		}
	}

	/**
	 * Watch no more, since the template closes: nobody would find out when a provider
	 * answers, and a meter would say for ever that it is down.
	 */
	public void close() {
		this.outages.values().forEach((each) -> each.end("is no longer watched, since the template closes,"));
	}

	/**
	 * Note that a provider has failed for a call.
	 */
	void failed(LockAttempt attempt, Throwable failure) {
		Outage known = this.outages.get(attempt.providerName());
		if (known != null) {
			known.failures.incrementAndGet();
			return;
		}
		Outage begun = new Outage(attempt, failure);
		if (this.outages.putIfAbsent(attempt.providerName(), begun) == null) {
			this.runtime.execute(begun::ask);
		}
	}

	/**
	 * Return why a call has to fail without a question to its provider.
	 * @return {@code null} if it may ask
	 */
	@Nullable Throwable refusal(LockAttempt attempt) {
		if (this.outages.isEmpty() || attempt.waitThroughOutage()) {
			return null;
		}
		Outage outage = this.outages.get(attempt.providerName());
		return (outage != null && !outage.letsThrough()) ? outage.refusal() : null;
	}

	/**
	 * Whether a provider is down.
	 */
	private enum State {

		/**
		 * It has failed for a call, and has not answered since.
		 */
		SUSPECTED,

		/**
		 * It has failed for the command time-out.
		 */
		DOWN,

		/**
		 * It answers again, or nobody asks any more.
		 */
		OVER

	}

	/**
	 * The time in which one provider gives no good answer.
	 */
	private final class Outage {

		private final LockAttempt attempt;

		private final long sinceNanos;

		private final AtomicReference<State> state = new AtomicReference<>(State.SUSPECTED);

		private final AtomicLong failures = new AtomicLong(1);

		private final AtomicLong refusals = new AtomicLong();

		private final AtomicLong nextTrialNanos = new AtomicLong();

		private volatile Throwable lastFailure;

		private Outage(LockAttempt attempt, Throwable failure) {
			this.attempt = attempt;
			this.sinceNanos = OutageWatch.this.runtime.nanoTime();
			this.lastFailure = failure;
		}

		private boolean letsThrough() {
			if (this.state.get() != State.DOWN) {
				return true;
			}
			long now = OutageWatch.this.runtime.nanoTime();
			long trial = this.nextTrialNanos.get();
			return now - trial >= 0 && this.nextTrialNanos.compareAndSet(trial, now + ASK_EACH_NANOS);
		}

		private Duration lasts() {
			return Duration.ofNanos(OutageWatch.this.runtime.nanoTime() - this.sinceNanos);
		}

		private BackendException refusal() {
			this.refusals.incrementAndGet();
			return new BackendException("it has been down for %s and is asked again each second: %s"
				.formatted(LockTimes.text(lasts()), LockErrors.describe(this.lastFailure)), true, this.lastFailure);
		}

		private void ask() {
			if (this.state.get() != State.OVER && !OutageWatch.this.calls.isClosed()) {
				ProviderCalls calls = OutageWatch.this.providerCalls;
				calls.ask(() -> calls.ping(this.attempt.provider()), this::onAnswer, (late) -> {
					// a provider that is so slow fails all calls
				});
			}
		}

		private void onAnswer(@Nullable Object answer, @Nullable Throwable failure) {
			// if it cannot be asked, each call finds out for itself
			if (failure == null || failure instanceof UnsupportedOperationException) {
				answered(this.attempt.providerName());
			}
			else if (this.state.get() != State.OVER && !OutageWatch.this.calls.isClosed()) {
				this.lastFailure = failure;
				OutageWatch.this.timers.stepAt(OutageWatch.this.runtime.nanoTime() + ASK_EACH_NANOS, this::ask);
				if (this.state.get() == State.DOWN) {
					endCalls(failure, false);
				}
				else if (lasts().toNanos() >= OutageWatch.this.providerCalls.commandTimeoutNanos()) {
					begin(failure);
				}
			}
		}

		/**
		 * Begin. This is told before the state changes, so that the end is told later.
		 */
		private void begin(Throwable failure) {
			logger.warn(
					"Lock provider {} is down: no good answer for {}, {} failures of calls. The last failure: {}. Until it answers, calls fail at once unless they wait through the outage. It is asked each second.",
					this.attempt.providerName(), LockTimes.text(lasts()), this.failures, LockErrors.describe(failure));
			OutageWatch.this.listeners.tell(LockEvent.OutageBegan.class,
					(now) -> new LockEvent.OutageBegan(this.attempt.providerName(), now, failure));
			this.nextTrialNanos.set(OutageWatch.this.runtime.nanoTime() + ASK_EACH_NANOS);
			if (this.state.compareAndSet(State.SUSPECTED, State.DOWN)) {
				endCalls(failure, true);
			}
			else {
				tellOfEnd("is no longer down");
			}
		}

		/**
		 * End calls that wait for the provider.
		 * @param asking whether also those that ask it. Later these were let through
		 */
		private void endCalls(Throwable failure, boolean asking) {
			// each on a thread of its own: a provider that blocks delays no other call
			OutageWatch.this.calls.of(this.attempt.provider())
				.stream()
				.filter((call) -> call.isInVain(asking))
				.forEach((call) -> OutageWatch.this.runtime
					.execute(() -> call.end(AcquisitionOutcome.unavailable(failure))));
		}

		private void end(String why) {
			if (this.state.getAndSet(State.OVER) == State.DOWN) {
				tellOfEnd(why);
			}
		}

		private void tellOfEnd(String why) {
			Duration lasted = lasts();
			logger.info("Lock provider {} {} after {}. {} calls were refused meanwhile", this.attempt.providerName(),
					why, LockTimes.text(lasted), this.refusals);
			OutageWatch.this.listeners.tell(LockEvent.OutageEnded.class,
					(now) -> new LockEvent.OutageEnded(this.attempt.providerName(), now, lasted));
		}

	}

}
