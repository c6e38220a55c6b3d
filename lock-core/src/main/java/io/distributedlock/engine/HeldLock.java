package io.distributedlock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockLostException;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lease that this JVM has, from the answer of the backend to its release or loss,
 * with the re-entrant holders that share it.
 */
final class HeldLock {

	private static final Logger logger = LoggerFactory.getLogger(HeldLock.class);

	private final LockAttempt attempt;

	private final Lease lease;

	private final @Nullable Downgrade downgrade;

	private final LeaseTerm firstTerm;

	private final Turn turn;

	private final Engine engine;

	private final LeaseClock clock;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final Holders holders;

	private final AtomicReference<Timers.@Nullable Timer> timer = new AtomicReference<>();

	private final ReentrantLock guard = new ReentrantLock();

	private final Set<Consumer<LockLostException>> lossCallbacks = new LinkedHashSet<>(0);

	private @Nullable LockLostException loss;

	/**
	 * What the backend was asked for last: a renewal, or an extension that no renewal may
	 * overtake. Each is answered within the command time-out.
	 */
	private CompletableFuture<?> lastRequest = CompletableFuture.completedFuture(null);

	private int extensions;

	/**
	 * What all handles refer to, and only they.
	 */
	private @Nullable WeakReference<Object> hold;

	private volatile boolean closeFailed;

	private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> release = new AtomicReference<>();

	HeldLock(LockAttempt attempt, Lease lease, Turn turn, Engine engine) {
		this.attempt = attempt;
		this.lease = lease;
		this.firstTerm = lease.term();
		this.downgrade = (attempt.type() == LockType.WRITE)
				? lease.asReader().map((reader) -> new Downgrade(this, engine, lease, reader)).orElse(null) : null;
		this.holders = new Holders(attempt.type(), this.downgrade != null);
		this.turn = turn;
		this.engine = engine;
		this.clock = new LeaseClock(attempt, this.firstTerm, engine.questions().commandTimeoutNanos());
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	String key() {
		return this.attempt.key();
	}

	LockProvider provider() {
		return this.attempt.provider();
	}

	Lease lease() {
		return (this.downgrade != null) ? this.downgrade.lease() : this.lease;
	}

	/**
	 * Return the kind of lock that its holders have: a writer's is a reader's from when
	 * the last one leaves who may write.
	 */
	LockType type() {
		return this.holders.mayWrite() ? this.attempt.type() : LockType.READ;
	}

	LeaseClock clock() {
		return this.clock;
	}

	Engine engine() {
		return this.engine;
	}

	boolean isValid() {
		return this.state.get() == State.HELD && remainingNanos() > 0;
	}

	/**
	 * Return whether the lock is neither released nor lost. Its local deadline may have
	 * passed a moment ago.
	 */
	boolean isHeld() {
		return this.state.get() == State.HELD;
	}

	long remainingNanos() {
		return isHeld() ? Math.max(0, this.clock.deadlineNanos() - this.engine.nanoTime()) : 0;
	}

	/**
	 * Return how long the key is still to be kept though its holders have left.
	 */
	long remainingHoldNanos() {
		long atLeast = LockTimes.saturatedNanos(this.attempt.holdAtLeast());
		return (atLeast == 0) ? 0 : this.firstTerm.startNanos() + atLeast - this.engine.nanoTime();
	}

	Holders holders() {
		return this.holders;
	}

	/**
	 * Return what lets others read once only readers hold this lock.
	 * @return the downgrade, {@code null} if the lease stays what it is
	 */
	@Nullable Downgrade downgrade() {
		return this.downgrade;
	}

	/**
	 * Return what a handle refers to as long as it may be closed.
	 */
	Object hold() {
		this.guard.lock();
		try {
			Object current = (this.hold != null) ? this.hold.get() : null;
			if (current == null) {
				current = new Object();
				this.hold = new WeakReference<>(current);
			}
			return current;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Note that a handle could not be closed, as its thread had no stack left. If it was
	 * the last one, nobody else will release the lock.
	 */
	void closeFailed(LockType type) {
		Holders.Exit exit = this.holders.exit(type);
		if (exit == Holders.Exit.LAST) {
			this.closeFailed = true;
		}
		else if (exit == Holders.Exit.LAST_WRITER && this.downgrade != null) {
			this.downgrade.beginLater();
		}
	}

	/**
	 * Return why nobody will release this lock any more, if that is so.
	 */
	@Nullable String abandonment() {
		if (this.closeFailed) {
			return "its handle was closed by a thread that had no stack left for it";
		}
		this.guard.lock();
		try {
			return (this.hold != null && this.hold.get() == null)
					? "its handle was never closed, and nothing refers to that any more" : null;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Set when the keeper looks at this lock next.
	 */
	void setTimer(Timers.Timer next) {
		Timers.Timer before = this.timer.getAndSet(next);
		if (before != null) {
			before.cancel();
		}
		if (!isHeld()) {
			next.cancel();
		}
	}

	void cancelTimer() {
		Timers.Timer before = this.timer.getAndSet(null);
		if (before != null) {
			before.cancel();
		}
		if (this.downgrade != null) {
			this.downgrade.end();
		}
	}

	/**
	 * Note a renewal that is about to be sent.
	 * @param answer completes with the answer to it
	 * @return {@code false} if it must not be sent, since an extension is under way or
	 * the lock has ended
	 */
	boolean startRenewal(CompletableFuture<?> answer) {
		this.guard.lock();
		try {
			if (this.extensions > 0 || !isHeld()) {
				return false;
			}
			this.lastRequest = this.lastRequest.isDone() ? answer
					: CompletableFuture.allOf(this.lastRequest, answer).exceptionally((failure) -> null);
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Ask the backend for another term, after the answer to what it was asked before: a
	 * renewal that came later would cut the term short.
	 * @param leaseTime how long the lease shall run, for the holder; asked when it is
	 * sent
	 * @param wanted completes when nobody waits for the term any more, which is then not
	 * asked for
	 * @return completes with the term, {@code null} if the lease is gone
	 */
	CompletableFuture<@Nullable LeaseTerm> extend(Supplier<Duration> leaseTime, CompletableFuture<?> wanted) {
		CompletableFuture<@Nullable LeaseTerm> extension = new CompletableFuture<>();
		CompletableFuture<?> before;
		this.guard.lock();
		try {
			this.extensions++;
			before = this.lastRequest;
			this.lastRequest = extension;
		}
		finally {
			this.guard.unlock();
		}
		// without the guard: the call of the provider may not return
		before.handle((ignored, failure) -> lease())
			.thenCompose((granted) -> sendExtension(leaseTime, wanted))
			.whenComplete((term, failure) -> {
				if (failure != null) {
					extension.completeExceptionally(failure);
				}
				else {
					extension.complete(term);
				}
			});
		return extension.whenComplete((term, failure) -> endExtension());
	}

	private void endExtension() {
		this.guard.lock();
		try {
			this.extensions--;
		}
		finally {
			this.guard.unlock();
		}
	}

	private CompletableFuture<@Nullable LeaseTerm> sendExtension(Supplier<Duration> length,
			CompletableFuture<?> wanted) {
		if (wanted.isDone() || !isValid()) {
			return CompletableFuture.failedFuture(new NoAnswerException(this.engine.commandTimeout()));
		}
		Duration leaseTime = length.get();
		OpenRequests.Request sent = this.clock.extensionSent(this.engine.nanoTime(), leaseTime);
		this.engine.keeper().lookAgain(this);
		CompletableFuture<@Nullable LeaseTerm> answer = this.engine.questions().expect();
		CompletableFuture<@Nullable LeaseTerm> extension = answer
			.<@Nullable LeaseTerm>thenApply((term) -> onExtension(term, leaseTime, sent));
		this.engine.questions()
			.follow(answer, () -> lease().renew(leaseTime.plus(this.attempt.lockDelay())),
					(late) -> onExtension(late, leaseTime, sent));
		return extension;
	}

	private @Nullable LeaseTerm onExtension(@Nullable LeaseTerm term, Duration leaseTime, OpenRequests.Request sent) {
		long now = this.engine.nanoTime();
		if (term != null) {
			this.clock.extended(term, leaseTime, now, sent);
		}
		this.engine.keeper().lookAgain(this);
		return term;
	}

	/**
	 * Return what completes when the backend has answered to, or failed, all that it was
	 * asked for before.
	 */
	CompletableFuture<?> lastRequest() {
		this.guard.lock();
		try {
			return this.lastRequest;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Note that the lease is being given back, which happens once.
	 * @param begun completes when it is given back
	 * @return what completes when it is given back if somebody else has begun,
	 * {@code null} otherwise
	 */
	@Nullable CompletableFuture<@Nullable Void> beginRelease(CompletableFuture<@Nullable Void> begun) {
		CompletableFuture<@Nullable Void> before = this.release.compareAndExchange(null, begun);
		return before;
	}

	/**
	 * End the hold on the caller's demand. No renewal is sent from then on.
	 * @return {@code false} if it had ended already
	 */
	boolean markReleased() {
		this.guard.lock();
		try {
			return this.state.compareAndSet(State.HELD, State.RELEASED);
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * End the hold against the caller's will, and tell everyone who asked to be told. The
	 * gate opens: other threads of this JVM have the same right to the key as other
	 * nodes.
	 */
	void lose(String reason) {
		LockLostException exception = LockErrors.lost(this.attempt, reason);
		List<Consumer<LockLostException>> toTell;
		this.guard.lock();
		try {
			if (!this.state.compareAndSet(State.HELD, State.LOST)) {
				return;
			}
			this.loss = exception;
			toTell = List.copyOf(this.lossCallbacks);
			this.lossCallbacks.clear();
		}
		finally {
			this.guard.unlock();
		}
		toTell.forEach((callback) -> tell("loss", () -> callback.accept(exception)));
		this.engine.onLost().ifPresent((listener) -> tell("loss", () -> listener.accept(exception)));
		this.engine.runtime().execute(() -> {
			leaveGate();
			logger.warn(exception.getMessage());
		});
	}

	/**
	 * Have a callback called when the lock is lost.
	 * @return takes the callback back
	 */
	Runnable onLost(Consumer<LockLostException> callback) {
		// the same callback may be given twice
		Consumer<LockLostException> own = (loss) -> callback.accept(loss);
		LockLostException happened;
		this.guard.lock();
		try {
			happened = this.loss;
			if (happened == null) {
				this.lossCallbacks.add(own);
			}
		}
		finally {
			this.guard.unlock();
		}
		if (happened != null) {
			tell("loss", () -> callback.accept(happened));
		}
		return () -> forget(own);
	}

	private void forget(Consumer<LockLostException> callback) {
		this.guard.lock();
		try {
			this.lossCallbacks.remove(callback);
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Have a callback called when the lease runs short.
	 * @return takes the callback back
	 */
	Runnable onExpiring(Duration margin, Runnable callback) {
		ExpiryWatch watch = new ExpiryWatch(LockTimes.saturatedNanos(margin), callback);
		this.clock.watch(watch);
		this.engine.keeper().lookAgain(this);
		return () -> this.clock.unwatch(watch);
	}

	/**
	 * Call those who asked to be told that the lease runs short, if it does.
	 */
	void warnOfExpiry(long now) {
		this.clock.dueWatches(now).forEach((watch) -> tell("expiry", () -> {
			if (isHeld()) {
				watch.callback().run();
			}
		}));
	}

	void ensureHeld() {
		if (!isValid()) {
			State ended = this.state.get();
			String reason = (ended == State.RELEASED) ? "it was given back before" : (ended == State.LOST)
					? "see the cause" : "its lease of %s has ended".formatted(LockTimes.text(this.clock.granted()));
			throw LockErrors.lost(this.attempt, reason, this.loss);
		}
	}

	void leaveGate() {
		this.turn.leave();
	}

	private void tell(String event, Runnable callback) {
		this.engine.runtime().callBack(() -> {
			try {
				callback.run();
			}
			catch (Throwable ex) {
				logger.error("A callback for the {} of lock '{}' failed", event, key(), ex);
			}
		});
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
