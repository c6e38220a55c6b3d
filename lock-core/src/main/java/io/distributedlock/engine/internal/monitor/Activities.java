package io.distributedlock.engine.internal.monitor;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.distributedlock.engine.internal.key.CallUnderWay;
import io.distributedlock.engine.internal.key.CallsUnderWay;
import io.distributedlock.engine.internal.key.KeyLocks;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.event.LockActivity;
import org.jspecify.annotations.Nullable;

/**
 * Describes what a template holds and waits for.
 */
public final class Activities {

	private Activities() {
	}

	public static LockActivity of(LeaseKeeper keeper, CallsUnderWay calls, KeyLocks keys, long now) {
		return new LockActivity(keeper.held().stream().map((lock) -> held(lock, keys)).toList(),
				calls.waiting().stream().map((call) -> waiting(call, now)).toList());
	}

	private static LockActivity.Held held(HeldLock lock, KeyLocks keys) {
		LockAttempt attempt = lock.attempt();
		return new LockActivity.Held(attempt.name(), attempt.key(), attempt.providerName(), attempt.type(),
				ownerOf(lock), lock.fencingToken(), lock.heldFor(), Duration.ofNanos(lock.remainingNanos()),
				attempt.autoRenewed(),
				// it may be released just now
				Math.max(lock.holders(), 1), keys.waitingFor(attempt.id()), nameOf(lock.thread()));
	}

	/**
	 * Return the owner, or nothing where the provider fails to tell it: the other locks
	 * are to be shown.
	 */
	private static Optional<String> ownerOf(HeldLock lock) {
		try {
			return Objects.requireNonNull(lock.lease().ownerId());
		}
		catch (Throwable ex) {
			return Optional.empty();
		}
	}

	private static LockActivity.Waiting waiting(CallUnderWay call, long now) {
		LockAttempt attempt = call.attempt();
		return new LockActivity.Waiting(attempt.name(), attempt.key(), attempt.providerName(), attempt.type(),
				Duration.ofNanos(now - call.startNanos()), nameOf(call.thread()));
	}

	private static Optional<String> nameOf(@Nullable Thread thread) {
		return Optional.ofNullable(thread).map(Thread::getName);
	}

}
