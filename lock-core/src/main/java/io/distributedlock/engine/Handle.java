package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Sequencer;
import org.jspecify.annotations.Nullable;

/**
 * One caller's hold on a lock; re-entrant callers have a handle each.
 */
final class Handle implements Holding {

	/**
	 * What the caller asked for, which may be less than what the owner has.
	 */
	private final LockAttempt attempt;

	private final HeldLock lock;

	private final Exits exits;

	private final AtomicBoolean closed = new AtomicBoolean();

	/**
	 * Take the callbacks back that were registered through this handle.
	 */
	private final AtomicReference<@Nullable Queue<Runnable>> callbacks = new AtomicReference<>();

	/**
	 * Tells the lock that a handle is still in use.
	 */
	@SuppressWarnings({ "unused", "UnusedVariable" })
	private final Object hold;

	private final HandleLeaks.@Nullable Sample sample;

	Handle(LockAttempt attempt, HeldLock lock, Exits exits) {
		this.attempt = attempt;
		this.lock = lock;
		this.exits = exits;
		this.hold = lock.hold();
		this.sample = HandleLeaks.watch(this);
	}

	// engines and providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	private boolean isOn(LockAttempt other, Engine engine) {
		return this.lock.engine() == engine && this.lock.provider() == other.provider()
				&& this.lock.key().equals(other.key());
	}

	@Override
	public @Nullable HeldLock reentered(LockAttempt other, Engine engine) {
		// what has ended is no re-entry: the lock is taken anew
		return (isOn(other, engine) && this.attempt.isReentrant() && this.lock.isValid()) ? this.lock : null;
	}

	@Override
	public boolean isFor(LockAttempt other, Engine engine) {
		return isOn(other, engine) && this.attempt.type() == other.type();
	}

	@Override
	public LockAttempt attempt() {
		return this.lock.attempt();
	}

	@Override
	public List<Holding> holdings() {
		return List.of(this);
	}

	@Override
	public String key() {
		return this.lock.key();
	}

	@Override
	public String provider() {
		return this.lock.provider().name();
	}

	@Override
	public OptionalLong fencingToken() {
		return this.lock.lease().fencingToken();
	}

	@Override
	public Optional<Sequencer> sequencer() {
		OptionalLong token = fencingToken();
		return token.isPresent() ? Optional.of(new Sequencer(key(), this.lock.type(), token.getAsLong()))
				: Optional.empty();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && this.lock.isValid();
	}

	@Override
	public boolean isClosed() {
		return this.closed.get();
	}

	@Override
	public Duration remaining() {
		return this.closed.get() ? Duration.ZERO : Duration.ofNanos(this.lock.remainingNanos());
	}

	@Override
	public void ensureHeld() {
		if (this.closed.get()) {
			throw closedBefore();
		}
		this.lock.ensureHeld();
	}

	@Override
	public CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		return this.exits.forUser(startExtension(leaseTime));
	}

	@Override
	public void extend(Duration leaseTime) {
		Extension.await(this, startExtension(leaseTime), this.exits);
	}

	@Override
	public CompletableFuture<@Nullable Void> startExtension(Duration leaseTime) {
		return this.closed.get() ? CompletableFuture.failedFuture(closedBefore()) : Extension.of(this.lock, leaseTime);
	}

	@Override
	public void ensureAtLeast(Duration duration) {
		Extension.ensureAtLeast(this, duration, this.exits);
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		// not this handle: what refers to it keeps it in use
		AtomicBoolean done = this.closed;
		Runnable whileOpen = () -> {
			if (!done.get()) {
				callback.run();
			}
		};
		register(() -> this.lock.onExpiring(margin, whileOpen));
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		AtomicBoolean done = this.closed;
		Consumer<LockLostException> whileOpen = (loss) -> {
			if (!done.get()) {
				callback.accept(loss);
			}
		};
		register(() -> this.lock.onLost(whileOpen));
	}

	/**
	 * Register a callback, to be taken back when this handle is closed.
	 */
	private void register(Supplier<Runnable> registration) {
		if (this.closed.get()) {
			return;
		}
		callbacks().add(registration.get());
		if (this.closed.get()) {
			takeBackCallbacks();
		}
	}

	private Queue<Runnable> callbacks() {
		Queue<Runnable> created = new ConcurrentLinkedQueue<>();
		Queue<Runnable> before = this.callbacks.compareAndExchange(null, created);
		return (before != null) ? before : created;
	}

	private void takeBackCallbacks() {
		Queue<Runnable> known = this.callbacks.get();
		for (Runnable next = poll(known); next != null; next = poll(known)) {
			next.run();
		}
	}

	private static @Nullable Runnable poll(@Nullable Queue<Runnable> queue) {
		return (queue != null) ? queue.poll() : null;
	}

	@Override
	public void close() {
		close(null);
	}

	@Override
	public void close(@Nullable Throwable workFailure) {
		this.exits.await(leave(), workFailure);
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		return this.exits.forUser(leave());
	}

	@Override
	public CompletableFuture<@Nullable LockUnavailableException> leave() {
		return leave(this.exits::leave);
	}

	@Override
	public CompletableFuture<@Nullable LockUnavailableException> discard() {
		return leave(this.exits::discard);
	}

	private CompletableFuture<@Nullable LockUnavailableException> leave(
			BiFunction<HeldLock, LockType, CompletableFuture<@Nullable LockUnavailableException>> exit) {
		if (this.closed.get()) {
			return CompletableFuture.completedFuture(null);
		}
		try {
			StackReserve.require();
		}
		catch (StackOverflowError ex) {
			// what made the stack overflow goes on its way
			abandon();
			return CompletableFuture.completedFuture(null);
		}
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		LockContext.detach(this);
		takeBackCallbacks();
		if (this.sample != null) {
			this.sample.close();
		}
		return exit.apply(this.lock, this.attempt.type());
	}

	@Override
	public void abandon() {
		if (this.closed.compareAndSet(false, true)) {
			this.lock.closeFailed(this.attempt.type());
		}
	}

	private LockLostException closedBefore() {
		return LockErrors.lost(this.lock.attempt(), "this handle was closed");
	}

	@Override
	public String toString() {
		return "LockHandle[key=%s, provider=%s, valid=%s]".formatted(key(), provider(), isValid());
	}

}
