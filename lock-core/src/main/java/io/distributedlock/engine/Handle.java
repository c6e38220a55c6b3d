package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.Sequencer;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * One caller's hold on a lock; re-entrant callers have a handle each.
 */
final class Handle implements LockHandle, Holding {

	private final HeldLock lock;

	private final Exits exits;

	private final AtomicBoolean closed = new AtomicBoolean();

	Handle(HeldLock lock, Exits exits) {
		this.lock = lock;
		this.exits = exits;
	}

	// engines and providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	@Override
	public @Nullable HeldLock find(Engine engine, LockProvider provider, String key) {
		boolean found = this.lock.engine() == engine && this.lock.provider() == provider && this.lock.key().equals(key)
				&& this.lock.attempt().isReentrant();
		return found ? this.lock : null;
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
		return token.isPresent() ? Optional.of(new Sequencer(key(), this.lock.attempt().type(), token.getAsLong()))
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
			throw LockErrors.lost(this.lock.attempt(), "this handle was closed");
		}
		this.lock.ensureHeld();
	}

	@Override
	public CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		if (this.closed.get()) {
			throw LockErrors.lost(this.lock.attempt(), "this handle was closed");
		}
		return Extension.of(this.lock, leaseTime);
	}

	@Override
	public void extend(Duration leaseTime) {
		Extension.await(extendAsync(leaseTime));
	}

	@Override
	public void ensureAtLeast(Duration duration) {
		ensureHeld();
		if (remaining().compareTo(duration) < 0) {
			extend(Extension.lengthFor(duration, this.lock.attempt()));
			if (remaining().compareTo(duration) < 0) {
				throw LockErrors.lost(this.lock.attempt(), "only %s are left, and %s are needed"
					.formatted(LockTimes.text(remaining()), LockTimes.text(duration)));
			}
		}
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		this.lock.onExpiring(margin, () -> {
			if (!this.closed.get()) {
				callback.run();
			}
		});
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		if (!this.closed.get()) {
			this.lock.onLost((loss) -> {
				if (!this.closed.get()) {
					callback.accept(loss);
				}
			});
		}
	}

	@Override
	public void close() {
		close(null);
	}

	@Override
	public void close(@Nullable Throwable workFailure) {
		if (this.closed.compareAndSet(false, true)) {
			LockContext.detach(this);
			this.exits.exit(this.lock, workFailure);
		}
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		if (this.closed.compareAndSet(false, true)) {
			LockContext.detach(this);
			return this.exits.exitAsync(this.lock);
		}
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<@Nullable Void> discard() {
		if (this.closed.compareAndSet(false, true)) {
			LockContext.detach(this);
			return this.exits.discard(this.lock);
		}
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public String toString() {
		return "LockHandle[key=%s, provider=%s, valid=%s]".formatted(key(), provider(), isValid());
	}

}
