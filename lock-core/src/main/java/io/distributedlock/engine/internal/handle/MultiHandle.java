package io.distributedlock.engine.internal.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Sequencer;
import org.jspecify.annotations.Nullable;

/**
 * The handle of several locks that were acquired together. It is valid while each of them
 * is held. They are released in the opposite order, and no release waits for another.
 */
public final class MultiHandle extends EngineHandle {

	private final List<SingleHandle> parts;

	public MultiHandle(List<EngineHandle> parts, HandleReleases handleReleases) {
		super(handleReleases);
		this.parts = new ArrayList<>(parts.size());
		parts.forEach((each) -> this.parts.addAll(each.handles()));
	}

	@Override
	public List<LockHandle> parts() {
		return List.copyOf(this.parts);
	}

	@Override
	List<SingleHandle> handles() {
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
	public Duration remaining() {
		return this.parts.stream().map(LockHandle::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
	}

	@Override
	public void ensureHeld() {
		this.parts.forEach(LockHandle::ensureHeld);
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
	CompletableFuture<@Nullable LockUnavailableException> exit(boolean used) {
		CompletableFuture<@Nullable LockUnavailableException> all = CompletableFuture.completedFuture(null);
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			all = all.thenCombine(this.parts.get(i).leave(used), MultiHandle::together);
		}
		return all;
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
