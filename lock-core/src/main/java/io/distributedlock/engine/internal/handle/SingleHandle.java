package io.distributedlock.engine.internal.handle;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Sequencer;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one lock. Re-entrant callers have a handle each.
 */
public final class SingleHandle extends EngineHandle {

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<SingleHandle, @Nullable Queue> CALLBACKS = AtomicReferenceFieldUpdater
		.newUpdater(SingleHandle.class, Queue.class, "callbacks");

	/**
	 * What the caller asked for, which may be less than what the owner has.
	 */
	private final LockAttempt attempt;

	private final HeldLock lock;

	/**
	 * Each removes a callback that was registered through this handle.
	 */
	private volatile @Nullable Queue<Runnable> callbacks;

	/**
	 * Tells the lock that a handle is still in use, as long as this handle is reachable.
	 */
	@SuppressWarnings({ "unused", "UnusedVariable" })
	private final Object useMarker;

	private final Cleaner.@Nullable Cleanable watched;

	/**
	 * Create the handle of a holder.
	 */
	public SingleHandle(LockAttempt attempt, HeldLock lock, HandleReleases handleReleases) {
		this(attempt, lock, handleReleases, true);
	}

	private SingleHandle(LockAttempt attempt, HeldLock lock, HandleReleases handleReleases, boolean open) {
		super(handleReleases, open);
		this.attempt = attempt;
		this.lock = lock;
		this.useMarker = lock.useMarker();
		this.watched = handleReleases.leaks().watch(this);
	}

	/**
	 * Enter a lock again on this thread, which has a handle of it.
	 * @return an open handle; {@code null} if the last holder has just left
	 */
	public static @Nullable SingleHandle reenter(LockAttempt attempt, HeldLock lock, HandleReleases handleReleases) {
		SingleHandle handle = new SingleHandle(attempt, lock, handleReleases, false);
		LockContext.attach(handle);
		if (lock.enter()) {
			handle.closed.set(false);
			return handle;
		}
		LockContext.detach(handle);
		return null;
	}

	// templates and providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	private boolean isOn(LockAttempt other, LeaseKeeper keeper) {
		return this.lock.keeper() == keeper && this.lock.provider() == other.provider()
				&& this.lock.key().equals(other.key());
	}

	@Override
	public @Nullable HeldLock reentered(LockAttempt other, LeaseKeeper keeper) {
		// a lock that has ended is acquired again, not re-entered
		return (isOn(other, keeper) && this.attempt.isReentrant() && this.lock.isValid()) ? this.lock : null;
	}

	@Override
	public boolean isFor(LockAttempt other, LeaseKeeper keeper) {
		return isOn(other, keeper) && this.attempt.type() == other.type();
	}

	@Override
	LockAttempt attempt() {
		return this.lock.attempt();
	}

	@Override
	List<EngineHandle> handles() {
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
		return this.lock.fencingToken();
	}

	@Override
	public Optional<Sequencer> sequencer() {
		OptionalLong token = fencingToken();
		return token.isPresent() ? Optional.of(new Sequencer(key(), attempt().type(), token.getAsLong()))
				: Optional.empty();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && this.lock.isValid();
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
	CompletableFuture<@Nullable Void> startExtension(Duration leaseTime) {
		return this.closed.get() ? CompletableFuture.failedFuture(closedBefore())
				: this.handleReleases.extension().of(this.lock, leaseTime);
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		// the callback refers to this and not to the handle, which would count as in use
		AtomicBoolean done = this.closed;
		Runnable whileOpen = () -> {
			if (!done.get()) {
				callback.run();
			}
		};
		register(() -> this.lock.keeper().onExpiring(this.lock, margin, whileOpen));
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		AtomicBoolean done = this.closed;
		Consumer<LockLostException> whileOpen = (loss) -> {
			if (!done.get()) {
				callback.accept(loss);
			}
		};
		register(() -> this.lock.keeper().onLost(this.lock, whileOpen));
	}

	/**
	 * Register a callback until this handle is closed.
	 */
	private void register(Supplier<Runnable> registration) {
		if (this.closed.get()) {
			return;
		}
		callbacks().add(registration.get());
		if (this.closed.get()) {
			removeCallbacks();
		}
	}

	private Queue<Runnable> callbacks() {
		Queue<Runnable> created = new ConcurrentLinkedQueue<>();
		return CALLBACKS.compareAndSet(this, null, created) ? created : Objects.requireNonNull(this.callbacks);
	}

	private void removeCallbacks() {
		Queue<Runnable> known = this.callbacks;
		if (known != null) {
			for (Runnable next = known.poll(); next != null; next = known.poll()) {
				next.run();
			}
		}
	}

	@Override
	CompletableFuture<@Nullable LockUnavailableException> exit(boolean used) {
		removeCallbacks();
		if (this.watched != null) {
			this.watched.clean();
		}
		return this.handleReleases.leave(this.lock, used);
	}

	private LockLostException closedBefore() {
		return LockErrors.lost(this.lock.attempt(), "this handle is closed");
	}

	@Override
	public String toString() {
		return "LockHandle[key=%s, provider=%s, valid=%s]".formatted(key(), provider(), isValid());
	}

}
