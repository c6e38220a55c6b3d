package io.distributedlock.engine.internal.handle;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

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

	/**
	 * What the caller asked for, which may be less than what the owner has.
	 */
	private final LockAttempt attempt;

	private final HeldLock lock;

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
		super(handleReleases);
		this.attempt = attempt;
		this.lock = lock;
		this.useMarker = lock.useMarker();
		this.watched = HandleReleases.leaks.watch(this);
	}

	// templates and providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	private boolean isOn(LockAttempt other, LeaseKeeper keeper) {
		return this.lock.keeper() == keeper && this.lock.provider() == other.provider()
				&& this.lock.key().equals(other.key());
	}

	/**
	 * Return whether an attempt may enter this lock again. A lock that has ended is
	 * acquired again, not re-entered.
	 */
	boolean mayReenter(LockAttempt other, LeaseKeeper keeper) {
		return isOn(other, keeper) && this.attempt.isReentrant() && this.lock.isValid();
	}

	/**
	 * Return whether an attempt like this one gave this handle.
	 */
	boolean isFor(LockAttempt other, LeaseKeeper keeper) {
		return isOn(other, keeper) && this.attempt.type() == other.type();
	}

	HeldLock lock() {
		return this.lock;
	}

	@Override
	List<SingleHandle> handles() {
		return List.of(this);
	}

	@Override
	public String key() {
		return this.lock.key();
	}

	@Override
	public String provider() {
		return this.lock.attempt().providerName();
	}

	@Override
	public OptionalLong fencingToken() {
		return this.lock.fencingToken();
	}

	@Override
	public Optional<Sequencer> sequencer() {
		OptionalLong token = fencingToken();
		return token.isPresent() ? Optional.of(new Sequencer(key(), this.lock.attempt().type(), token.getAsLong()))
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

	/**
	 * Begin to extend the lock.
	 * @return completes within the command time-out, on any thread
	 */
	CompletableFuture<@Nullable Void> startExtension(Duration leaseTime) {
		return this.closed.get() ? CompletableFuture.failedFuture(closedBefore())
				: this.handleReleases.extension().of(this.lock, leaseTime);
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		this.lock.keeper().onExpiring(this.lock, this.closed, margin, callback);
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		this.lock.keeper().onLost(this.lock, this.closed, callback);
	}

	@Override
	CompletableFuture<@Nullable LockUnavailableException> exit(boolean used) {
		this.lock.forgetCallbacks(this.closed);
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
