package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.Sequencer;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Several locks that were had together: held while each of them is, and given back in the
 * opposite order.
 */
final class HandleSet implements Holding {

	private final List<Holding> parts;

	private final AtomicBoolean closed = new AtomicBoolean();

	HandleSet(List<Holding> parts) {
		this.parts = List.copyOf(parts);
	}

	@Override
	public @Nullable HeldLock find(Engine engine, LockProvider provider, String key) {
		for (Holding part : this.parts) {
			HeldLock lock = part.isClosed() ? null : part.find(engine, provider, key);
			if (lock != null) {
				return lock;
			}
		}
		return null;
	}

	@Override
	public List<LockHandle> parts() {
		return List.copyOf(this.parts);
	}

	@Override
	public String key() {
		return this.parts.stream().map(LockHandle::key).collect(Collectors.joining(", "));
	}

	@Override
	public String provider() {
		return this.parts.stream().map(LockHandle::provider).distinct().collect(Collectors.joining(", "));
	}

	@Override
	public OptionalLong fencingToken() {
		// a token says something about one key only
		return OptionalLong.empty();
	}

	@Override
	public Optional<Sequencer> sequencer() {
		return Optional.empty();
	}

	@Override
	public boolean isValid() {
		return this.parts.stream().allMatch(LockHandle::isValid);
	}

	@Override
	public boolean isClosed() {
		return this.closed.get();
	}

	@Override
	public Duration remaining() {
		return this.parts.stream().map(LockHandle::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
	}

	@Override
	public void ensureHeld() {
		this.parts.forEach(LockHandle::ensureHeld);
	}

	@Override
	public void extend(Duration leaseTime) {
		Extension.await(extendAsync(leaseTime));
	}

	@Override
	public CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		return all((part) -> part.extendAsync(leaseTime));
	}

	@Override
	public void ensureAtLeast(Duration duration) {
		this.parts.forEach((part) -> part.ensureAtLeast(duration));
	}

	@Override
	public void onExpiring(Duration margin, Runnable callback) {
		this.parts.forEach((part) -> part.onExpiring(margin, callback));
	}

	@Override
	public void onLost(Consumer<LockLostException> callback) {
		AtomicBoolean told = new AtomicBoolean();
		this.parts.forEach((part) -> part.onLost((loss) -> {
			if (told.compareAndSet(false, true)) {
				callback.accept(loss);
			}
		}));
	}

	@Override
	public void close() {
		close(null);
	}

	@Override
	public void close(@Nullable Throwable workFailure) {
		if (markClosed()) {
			for (int i = this.parts.size() - 1; i >= 0; i--) {
				this.parts.get(i).close(workFailure);
			}
		}
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		return markClosed() ? all(LockHandle::closeAsync) : CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<@Nullable Void> discard() {
		return markClosed() ? all(Holding::discard) : CompletableFuture.completedFuture(null);
	}

	private boolean markClosed() {
		boolean first = this.closed.compareAndSet(false, true);
		LockContext.detach(this);
		return first;
	}

	private CompletableFuture<@Nullable Void> all(Function<Holding, CompletableFuture<@Nullable Void>> action) {
		List<CompletableFuture<?>> results = new ArrayList<>(this.parts.size());
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			results.add(action.apply(this.parts.get(i)));
		}
		return CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
			.<@Nullable Void>thenApply((done) -> null);
	}

	@Override
	public String toString() {
		return "LockHandle" + this.parts;
	}

}
