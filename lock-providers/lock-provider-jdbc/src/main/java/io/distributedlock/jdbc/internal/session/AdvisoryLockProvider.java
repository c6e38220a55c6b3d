package io.distributedlock.jdbc.internal.session;

import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.WatchingPlace;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases by advisory locks. A call that finds its key taken waits in the queue of
 * the server, with a connection and a thread of its own: the server gives it the key
 * without a write and without a message. It waits for a short time only, again and again,
 * so that neither stays in use for long once the call has given up.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
public final class AdvisoryLockProvider extends SessionLockProvider implements LockQueue {

	private final Duration longestWait;

	private final Semaphore waits;

	/**
	 * How to tell each place that found no connection to wait with that one is free.
	 */
	private final Queue<Runnable> withoutWait = new ConcurrentLinkedQueue<>();

	/**
	 * Create a provider.
	 * @param maxLockConnections how many connections hold locks at a time
	 * @param waiting how many calls wait on the server at a time
	 */
	public AdvisoryLockProvider(JdbcCalls calls, int maxLockConnections, int waiting) {
		super(calls, new AdvisoryLocks(calls.dialect()), maxLockConnections, Duration.ZERO, null);
		// the rest of the time is for the connection and the answer; a server that rounds
		// half a second up must not need the whole of one second
		this.longestWait = calls.commandTimeout().dividedBy(2).minusMillis(1);
		this.waits = new Semaphore(waiting);
	}

	@Override
	public Set<LockCapability> capabilities() {
		return TOLD_CAPABILITIES;
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.EXCLUSIVE;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		AdvisoryPlace place = new AdvisoryPlace(request);
		place.lookAgain();
		return place;
	}

	/**
	 * Wait for some time, and then have it asked again.
	 */
	private CompletionStage<@Nullable Lease> awaitTurn(LeaseRequest request, Runnable again) {
		Duration patience = patience(request);
		long since = System.nanoTime();
		return await(request, patience).whenComplete((lease, failure) -> {
			this.waits.release();
			// after a failure the next ones would fail too
			if (failure == null) {
				tellNext();
			}
			if (lease == null && failure == null) {
				// a server may count whole seconds, and not wait for less
				Duration left = patience.minusNanos(System.nanoTime() - since);
				if (left.toMillis() > 0) {
					DelayedTasks.after(left).execute(again);
				}
				else {
					again.run();
				}
			}
		});
	}

	private Duration patience(LeaseRequest request) {
		Duration look = request.lookInterval();
		Duration wait = (look.compareTo(this.longestWait) < 0) ? look : this.longestWait;
		// zero would mean no limit on PostgreSQL, and no wait on the others
		return (wait.toMillis() < 1) ? Duration.ofMillis(1) : wait;
	}

	/**
	 * Tell a place that found no connection to wait with that one may be free.
	 */
	private void tellNext() {
		Runnable next = (this.waits.availablePermits() > 0) ? this.withoutWait.poll() : null;
		if (next != null) {
			next.run();
		}
	}

	/**
	 * A call that asks once, and then waits in the queue of the server again and again.
	 */
	private final class AdvisoryPlace extends WatchingPlace {

		private final LeaseRequest request;

		private final Runnable again = this::onSignal;

		private AdvisoryPlace(LeaseRequest request) {
			super(Failures::unwrap);
			this.request = request;
		}

		@Override
		protected CompletionStage<?> look() {
			boolean waited = isConfirmed();
			return ((waited && beginsToWait()) ? awaitTurn(this.request, this.again) : tryAcquire(this.request))
				.thenAccept((lease) -> {
					if (lease == null) {
						stayBehindOthers();
						if (!waited) {
							onSignal();
						}
					}
					else if (!grant(lease)) {
						lease.release();
					}
				});
		}

		private boolean beginsToWait() {
			Queue<Runnable> others = AdvisoryLockProvider.this.withoutWait;
			if (!others.contains(this.again)) {
				// first, so that it is told of a connection that gets free just then
				others.add(this.again);
			}
			boolean begins = AdvisoryLockProvider.this.waits.tryAcquire();
			if (begins || isOver()) {
				stopWatching();
			}
			return begins;
		}

		@Override
		protected void stopWatching() {
			AdvisoryLockProvider.this.withoutWait.remove(this.again);
			// this place may have been told of a connection that it does not need
			tellNext();
		}

		@Override
		protected void remove() {
			// the server forgets who waits when that statement ends
		}

	}

}
