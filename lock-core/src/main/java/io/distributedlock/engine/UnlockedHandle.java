package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.Sequencer;
import io.distributedlock.engine.internal.runtime.LockTimes;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a lock that is none. It is valid until it is closed.
 */
final class UnlockedHandle implements LockHandle {

	private final String key;

	/**
	 * The handles of a request for several locks, empty for one lock.
	 */
	private final List<UnlockedHandle> parts;

	private final AtomicBoolean closed = new AtomicBoolean();

	UnlockedHandle(LockRequest request) {
		this.key = keyOf(request);
		List<LockRequest> requests = request.parts();
		this.parts = (requests.size() > 1) ? requests.stream().map(UnlockedHandle::new).toList() : List.of();
	}

	static String keyOf(LockRequest request) {
		return request.parts()
			.stream()
			.map((part) -> part.name().isEmpty() ? part.key() : part.name() + ":" + part.key())
			.collect(Collectors.joining(", "));
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public List<LockHandle> parts() {
		return this.parts.isEmpty() ? List.of(this) : List.copyOf(this.parts);
	}

	@Override
	public String provider() {
		return UnlockedTemplate.PROVIDER;
	}

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.empty();
	}

	@Override
	public Optional<Sequencer> sequencer() {
		return Optional.empty();
	}

	@Override
	public boolean isValid() {
		return !isClosed();
	}

	@Override
	public Duration remaining() {
		return isClosed() ? Duration.ZERO : LockTimes.FOREVER;
	}

	@Override
	public boolean isClosed() {
		return this.closed.get();
	}

	@Override
	public void ensureHeld() {
		if (isClosed()) {
			throw new LockLostException(this.key, provider(), "The handle of lock '%s' is closed".formatted(this.key),
					null);
		}
	}

	@Override
	public void extend(Duration leaseTime) {
		ensureHeld();
	}

	@Override
	public CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		try {
			ensureHeld();
			return CompletableFuture.completedFuture(null);
		}
		catch (LockLostException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void ensureAtLeast(Duration duration) {
		ensureHeld();
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		// it never expires
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		// it is never lost
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.parts.forEach(UnlockedHandle::close);
			LockContext.detach(this);
		}
	}

	@Override
	public void close(@Nullable Throwable workFailure) {
		close();
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		close();
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public String toString() {
		return "LockHandle[key=%s, no lock]".formatted(this.key);
	}

}
