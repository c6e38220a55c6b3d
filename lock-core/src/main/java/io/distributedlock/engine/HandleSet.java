package io.distributedlock.engine;

import java.time.Duration;
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
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Sequencer;
import org.jspecify.annotations.Nullable;

/**
 * Several locks that were acquired together: held while each of them is, and given back
 * in the opposite order, without one waiting for the other.
 */
final class HandleSet implements Holding {

	private final List<Holding> parts;

	private final Exits exits;

	private final AtomicBoolean closed = new AtomicBoolean();

	HandleSet(List<Holding> parts, Exits exits) {
		this.parts = List.copyOf(parts);
		this.exits = exits;
	}

	@Override
	public @Nullable HeldLock reentered(LockAttempt attempt, Engine engine) {
		for (Holding part : this.parts) {
			HeldLock lock = part.isClosed() ? null : part.reentered(attempt, engine);
			if (lock != null) {
				return lock;
			}
		}
		return null;
	}

	@Override
	public boolean isFor(LockAttempt attempt, Engine engine) {
		return this.parts.stream().anyMatch((part) -> part.isFor(attempt, engine));
	}

	@Override
	public List<LockHandle> parts() {
		return List.copyOf(this.parts);
	}

	@Override
	public LockAttempt attempt() {
		return this.parts.get(0).attempt();
	}

	@Override
	public List<? extends Holding> holdings() {
		return this.parts;
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
		Extension.await(this, startExtension(leaseTime), this.exits);
	}

	@Override
	public CompletableFuture<@Nullable Void> extendAsync(Duration leaseTime) {
		return this.exits.forUser(startExtension(leaseTime));
	}

	@Override
	public CompletableFuture<@Nullable Void> startExtension(Duration leaseTime) {
		return Extension.all(this.parts.stream().map((part) -> part.startExtension(leaseTime)).toList());
	}

	@Override
	public void ensureAtLeast(Duration duration) {
		Extension.ensureAtLeast(this, duration, this.exits);
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
		this.exits.await(leave(), workFailure);
	}

	@Override
	public CompletableFuture<@Nullable Void> closeAsync() {
		return this.exits.forUser(leave());
	}

	@Override
	public CompletableFuture<@Nullable LockUnavailableException> leave() {
		return leave(Holding::leave);
	}

	@Override
	public CompletableFuture<@Nullable LockUnavailableException> discard() {
		return leave(Holding::discard);
	}

	private CompletableFuture<@Nullable LockUnavailableException> leave(
			Function<Holding, CompletableFuture<@Nullable LockUnavailableException>> exit) {
		if (this.closed.get()) {
			return CompletableFuture.completedFuture(null);
		}
		try {
			StackReserve.require();
		}
		catch (StackOverflowError ex) {
			abandon();
			return CompletableFuture.completedFuture(null);
		}
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		LockContext.detach(this);
		CompletableFuture<@Nullable LockUnavailableException> all = CompletableFuture.completedFuture(null);
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			all = all.thenCombine(exit.apply(this.parts.get(i)), HandleSet::together);
		}
		return all;
	}

	@Override
	public void abandon() {
		if (this.closed.compareAndSet(false, true)) {
			for (Holding part : this.parts) {
				part.abandon();
			}
		}
	}

	private static @Nullable LockUnavailableException together(@Nullable LockUnavailableException first,
			@Nullable LockUnavailableException second) {
		if (first != null && second != null) {
			first.addSuppressed(second);
		}
		return (first != null) ? first : second;
	}

	@Override
	public String toString() {
		return "LockHandle" + this.parts;
	}

}
