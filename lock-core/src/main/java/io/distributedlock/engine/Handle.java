package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.Sequencer;
import org.jspecify.annotations.Nullable;

/**
 * One caller's hold on a lock; re-entrant callers have a handle each.
 */
final class Handle implements LockHandle {

	private final HeldLock lock;

	private final Exits exits;

	private final AtomicBoolean closed = new AtomicBoolean();

	Handle(HeldLock lock, Exits exits) {
		this.lock = lock;
		this.exits = exits;
	}

	HeldLock lock() {
		return this.lock;
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
		if (this.closed.compareAndSet(false, true)) {
			this.exits.exit(this.lock, null);
		}
	}

	/**
	 * Close after the work is done.
	 * @param workFailure what the work threw; a failed release is added to it
	 */
	void close(@Nullable Throwable workFailure) {
		if (this.closed.compareAndSet(false, true)) {
			this.exits.exit(this.lock, workFailure);
		}
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		if (this.closed.compareAndSet(false, true)) {
			return this.exits.exitAsync(this.lock);
		}
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public String toString() {
		return "LockHandle[key=%s, provider=%s, valid=%s]".formatted(key(), provider(), isValid());
	}

}
