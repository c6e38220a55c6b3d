package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.Bag;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Renews leases and watches their local deadlines. Each lease has one timer, for the next
 * thing to do. Renewals that are due together are sent in one batch per provider. A lock
 * that is released before its first renewal costs one timer, which is cancelled.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md,
 * docs/decisions/014-abandoned-handles.md
 */
public final class LeaseKeeper {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(LeaseKeeper.class));

	private final Bag<HeldLock> tracked = new Bag<>();

	/**
	 * Renewals to send together. Only the timer thread uses this.
	 */
	private final List<Renewal> due = new ArrayList<>();

	private final EngineRuntime runtime;

	private final Timers timers;

	private final ProviderCalls providerCalls;

	private final Listeners listeners;

	private final Callbacks callbacks;

	private final Consumer<LeaseKeeper> onHeld;

	private final Consumer<HeldLock> onAbandoned;

	private volatile boolean closed;

	/**
	 * Create a keeper that watches nothing yet.
	 * @param onHeld called when a lock is held from now on
	 * @param onAbandoned releases a lock, which counts as lost, that no handle can
	 * release any more. Called on a thread of the engine
	 */
	public LeaseKeeper(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, Listeners listeners,
			Callbacks callbacks, Consumer<LeaseKeeper> onHeld, Consumer<HeldLock> onAbandoned) {
		this.runtime = runtime;
		this.timers = timers;
		this.providerCalls = providerCalls;
		this.listeners = listeners;
		this.callbacks = callbacks;
		this.onHeld = onHeld;
		this.onAbandoned = onAbandoned;
	}

	public long nanoTime() {
		return this.runtime.nanoTime();
	}

	/**
	 * Watch a lease from now on, for its first holder or a later one.
	 * @return {@code false} if the keeper is closed
	 */
	public boolean track(HeldLock lock) {
		this.tracked.add(lock);
		if (this.closed) {
			return !this.tracked.remove(lock);
		}
		lock.succession().begin(lock);
		if (lock.index() == 0) {
			Guard.run("registering for the loss of a lease", () -> lock.lease().onLost(lock.succession()));
		}
		lookAgain(lock);
		this.onHeld.accept(this);
		return true;
	}

	void forget(HeldLock lock) {
		this.tracked.remove(lock);
		lock.cancelTimers();
	}

	/**
	 * Set the timer of a lock anew, as the time of its next event has changed.
	 */
	public void lookAgain(HeldLock lock) {
		long at;
		do {
			at = lock.clock().nextEventNanos();
			lock.setTimer(this.timers, at);
		}
		// another thread may have made it earlier, and set its timer before this one did
		while (lock.isHeld() && lock.clock().nextEventNanos() - at < 0);
	}

	public int size() {
		return this.tracked.size();
	}

	/**
	 * Return the locks that are held, those first that are held for the longest time.
	 */
	public List<HeldLock> held() {
		return all().filter(HeldLock::isHeld).toList();
	}

	private Stream<HeldLock> all() {
		// not by the term or by how long they are held, which change during the sort
		return this.tracked.members()
			.stream()
			.sorted((first, second) -> Long.signum(first.beganNanos() - second.beganNanos()));
	}

	/**
	 * Stop renewing. All locks that are held count as lost from now on.
	 * @return the locks that were held
	 */
	public List<HeldLock> stop() {
		this.closed = true;
		List<HeldLock> held = all().toList();
		held.forEach((lock) -> lose(lock, "the lock template was closed"));
		return held;
	}

	/**
	 * End a hold although its holders have not left, and call everyone who wants to be
	 * told. The key is free: other threads of this JVM have the same right to the key as
	 * other nodes.
	 */
	public void lose(HeldLock lock, String reason) {
		LockLostException exception = LockErrors.lost(lock.attempt(), reason);
		// from the mark on a holder may leave, whose event is later than this one
		long lostNanos = this.runtime.nanoTime();
		List<HoldState.LossCallback> told = lock.markLost(exception);
		if (told != null) {
			told.forEach((callback) -> callback.action().accept(exception));
			this.listeners.tell(LockEvent.Lost.class,
					(now) -> new LockEvent.Lost(lock.attempt().info(), lostNanos, lock.heldFor(), exception));
			lock.observed().lost();
			this.runtime.execute(() -> {
				lock.passage().leave(lock);
				warnings.warn("{}", exception.getMessage());
			});
		}
		forget(lock);
	}

	/**
	 * Register a callback for the loss of a lock, which sees the context of this thread.
	 * @param closed whether the handle is closed for which it is registered
	 */
	public void onLost(HeldLock lock, AtomicBoolean closed, Consumer<LockLostException> callback) {
		Callbacks.ForCaller caller = this.callbacks.capture();
		HoldState.LossCallback registered = new HoldState.LossCallback(closed,
				(loss) -> callBack(caller, lock, closed, "loss", () -> callback.accept(loss)));
		LockLostException happened = lock.onLost(registered);
		if (happened != null) {
			registered.action().accept(happened);
		}
		forgetIfClosed(lock, closed);
	}

	/**
	 * Register a callback for a lease that is about to end, which sees the context of
	 * this thread.
	 * @param closed whether the handle is closed for which it is registered
	 */
	public void onExpiring(HeldLock lock, AtomicBoolean closed, Duration margin, Runnable callback) {
		Callbacks.ForCaller caller = this.callbacks.capture();
		lock.clock()
			.watch(new ExpiryWatch(LockTimes.saturatedNanos(margin), closed,
					() -> callBack(caller, lock, closed, "expiry", () -> {
						if (lock.isHeld()) {
							callback.run();
						}
					})));
		lookAgain(lock);
		forgetIfClosed(lock, closed);
	}

	private static void forgetIfClosed(HeldLock lock, AtomicBoolean closed) {
		if (closed.get()) {
			lock.forgetCallbacks(closed);
		}
	}

	private static void callBack(Callbacks.ForCaller caller, HeldLock lock, AtomicBoolean closed, String event,
			Runnable callback) {
		caller.run(() -> {
			try {
				if (!closed.get()) {
					callback.run();
				}
			}
			catch (Throwable ex) {
				Failures.log(warnings::error, "A callback for the {} of lock '{}' failed", event, lock.key(), ex);
			}
		});
	}

	/**
	 * Look at a lock. Runs on the timer thread.
	 */
	void attend(HeldLock lock) {
		try {
			doWhatIsDue(lock);
		}
		catch (Throwable ex) {
			// there was no memory for its next timer: it would neither be renewed, nor
			// would anybody hear of its end
			lose(lock, "it can no longer be watched");
			throw ex;
		}
	}

	private void doWhatIsDue(HeldLock lock) {
		LeaseClock clock = lock.clock();
		long now = this.runtime.nanoTime();
		if (!lock.isHeld()) {
			return;
		}
		if (clock.deadlineNanos() - now <= 0) {
			lose(lock, "its lease of %s ended before it was released".formatted(LockTimes.text(clock.granted())));
			return;
		}
		if (clock.isRenewalDue(now)) {
			if (lock.isAbandoned()) {
				releaseAbandoned(lock);
				return;
			}
			clock.renewalBegun(now);
			renewWithOthers(lock);
		}
		clock.dueWatches(now).forEach((watch) -> watch.callback().run());
		lookAgain(lock);
	}

	private void releaseAbandoned(HeldLock lock) {
		lose(lock, "its handle was never closed, and the application no longer has a reference to it");
		lock.observed().abandoned(Reason.INTERRUPTED);
		this.runtime.execute(() -> this.onAbandoned.accept(lock));
	}

	private void renewWithOthers(HeldLock lock) {
		Renewal renewal = new Renewal(lock, this.providerCalls.expect());
		// an extension that waits for this renewal is sent after its answer was dealt
		// with
		CompletableFuture<?> done = renewal.answer.handle((term, failure) -> {
			Guard.run("an answer to a renewal", () -> onAnswer(renewal, term, failure));
			return lock;
		});
		if (!lock.requests().startRenewal(done, lock::isHeld)) {
			renewal.answer.cancel(false);
			return;
		}
		if (this.due.isEmpty()) {
			this.timers.at(this.runtime.nanoTime(), this::sendDue);
		}
		this.due.add(renewal);
	}

	private void sendDue() {
		// a provider may have no hash code that works
		IdentityHashMap<LockProvider, List<Renewal>> byProvider = new IdentityHashMap<>();
		try {
			this.due.forEach(
					(renewal) -> byProvider.computeIfAbsent(renewal.lock.provider(), (ignored) -> new ArrayList<>())
						.add(renewal));
		}
		finally {
			this.due.clear();
		}
		byProvider.forEach((provider, renewals) -> this.runtime.execute(() -> send(provider, renewals)));
	}

	/**
	 * Renew several leases in one call of the provider. If that call throws, each lease
	 * is renewed by a call of its own, so that one bad lease does not cost the others.
	 */
	private void send(LockProvider provider, List<Renewal> renewals) {
		long now = this.runtime.nanoTime();
		List<Renewal> held = renewals.stream().filter((renewal) -> renewal.begin(now)).toList();
		if (held.isEmpty()) {
			return;
		}
		List<CompletionStage<@Nullable LeaseTerm>> answers = List.of();
		try {
			// a copy: a list may throw, too, such as one that sends each renewal when
			// asked
			answers = new ArrayList<>(provider.renewAll(held.stream().map(Renewal::toSend).toList()));
		}
		catch (Throwable ex) {
			Failures.log(warnings::warn,
					"Provider {} failed to renew {} leases in one call; they are renewed one by one",
					held.get(0).lock.attempt().providerName(), held.size(), ex);
		}
		boolean complete = answers.size() == held.size();
		for (int i = 0; i < held.size(); i++) {
			Renewal renewal = held.get(i);
			CompletionStage<@Nullable LeaseTerm> answer = complete ? answers.get(i) : null;
			if (answer != null || renewal.isWanted()) {
				LeaseRenewal alone = renewal.toSend();
				this.providerCalls.follow(renewal.answer,
						() -> (answer != null) ? answer : alone.lease().renew(alone.leaseTime()),
						(late) -> onAnswer(renewal, late, null));
			}
		}
	}

	private void onAnswer(Renewal renewal, @Nullable LeaseTerm term, @Nullable Throwable failure) {
		HeldLock lock = renewal.lock;
		LeaseClock.Request request = renewal.request;
		long now = this.runtime.nanoTime();
		if (failure != null && request != null) {
			// also if the holder has just left: the lease may be passed on
			lock.clock().unanswered(request, now);
		}
		if (!lock.isHeld() || (failure instanceof CancellationException && request == null)) {
			return;
		}
		if (term != null && request != null) {
			lock.clock().renewed(term, now, request);
			lookAgain(lock);
			Duration took = Duration.ofNanos(now - request.sentNanos());
			this.listeners.tell(LockEvent.Renewed.class,
					(at) -> new LockEvent.Renewed(lock.attempt().info(), at, took));
		}
		else if (failure == null) {
			lose(lock, "the backend says that this owner no longer has it");
		}
		else if (failure != null && lock.isValid()) {
			lock.clock().renewalFailed(now);
			lookAgain(lock);
			Duration left = Duration.ofNanos(lock.remainingNanos());
			this.listeners.tell(LockEvent.RenewalFailed.class,
					(at) -> new LockEvent.RenewalFailed(lock.attempt().info(), at, left, failure));
			warnings.warn(
					"Lock '{}' of provider {} could not be renewed. The renewal is tried again. The lock is lost in {} ms: {}",
					lock.key(), lock.attempt().providerName(), lock.remainingNanos() / 1_000_000, failure.toString());
		}
	}

	/**
	 * A renewal that is sent, or is about to be sent.
	 */
	private static final class Renewal {

		private final HeldLock lock;

		private final CompletableFuture<@Nullable LeaseTerm> answer;

		/**
		 * Set before it is sent.
		 */
		private volatile LeaseClock.@Nullable Request request;

		private Renewal(HeldLock lock, CompletableFuture<@Nullable LeaseTerm> answer) {
			this.lock = lock;
			this.answer = answer;
		}

		/**
		 * Return whether it is to be sent. Otherwise nobody needs it any more, and it
		 * ends.
		 */
		private boolean isWanted() {
			boolean wanted = this.lock.isValid() && !this.answer.isDone();
			if (!wanted) {
				this.answer.cancel(false);
			}
			return wanted;
		}

		private boolean begin(long now) {
			boolean wanted = isWanted();
			if (wanted) {
				this.request = this.lock.clock().sent(now, this.lock.clock().lengthToKeep(now));
			}
			return wanted;
		}

		private LeaseRenewal toSend() {
			Duration leaseTime = Objects.requireNonNull(this.request).leaseTime();
			return new LeaseRenewal(this.lock.lease(), leaseTime.plus(this.lock.attempt().lockDelay()));
		}

	}

}
