package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockNotAcquiredException.Reason;

/**
 * Knows the keys for which calls wait. Events arrive in any order, so the end of a wait
 * is matched with its beginning by time.
 */
final class WaitingCallers implements LockListener {

	private static final int MOST_ENDS = 100;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<String, Calls> calls = new HashMap<>();

	private final SkippedWaits skipped;

	WaitingCallers(SkippedWaits skipped) {
		this.skipped = skipped;
	}

	boolean isWaitedFor(String fullKey) {
		this.lock.lock();
		try {
			Calls ofKey = this.calls.get(fullKey);
			return ofKey != null && !ofKey.waits.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void waiting(LockEvent event) {
		this.lock.lock();
		try {
			Calls ofKey = this.calls.computeIfAbsent(event.key(), (ignored) -> new Calls());
			Optional<Call> end = ofKey.ends.stream().filter((call) -> call.contains(event.atNanos())).findFirst();
			if (end.isEmpty() || !ofKey.ends.remove(end.get())) {
				ofKey.waits.add(event.atNanos());
			}
		}
		finally {
			this.lock.unlock();
		}
		this.skipped.skip(event.key(), this::isWaitedFor);
	}

	@Override
	public void acquired(LockEvent event, Duration waited) {
		ended(event, waited);
	}

	@Override
	public void notAcquired(LockEvent event, Duration waited, Reason reason) {
		ended(event, waited);
	}

	@Override
	public void unavailable(LockEvent event, Duration waited, Throwable failure) {
		ended(event, waited);
	}

	private void ended(LockEvent event, Duration waited) {
		Call call = new Call(event.atNanos() - waited.toNanos(), event.atNanos());
		this.lock.lock();
		try {
			Calls ofKey = this.calls.computeIfAbsent(event.key(), (ignored) -> new Calls());
			Optional<Long> wait = ofKey.waits.stream().filter(call::contains).findFirst();
			if (wait.isEmpty() || !ofKey.waits.remove(wait.get())) {
				ofKey.ends.add(call);
				if (ofKey.ends.size() > MOST_ENDS) {
					ofKey.ends.remove(0);
				}
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The calls for one key: those that wait, and those that have ended and of which no
	 * wait is known.
	 */
	private static final class Calls {

		private final List<Long> waits = new ArrayList<>();

		private final List<Call> ends = new ArrayList<>();

	}

	private record Call(long fromNanos, long toNanos) {

		boolean contains(long instant) {
			return instant - this.fromNanos >= 0 && this.toNanos - instant >= 0;
		}

	}

}
