package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.spi.support.Failures;

/**
 * The etcd leases of this JVM: one for all locks whose lease time is the same number of
 * seconds. So the key of an owner whose JVM has died stays for no longer than that.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class SharedLeases {

	private final EtcdCalls calls;

	private final Map<Long, CompletableFuture<SharedLease>> current = new ConcurrentHashMap<>();

	SharedLeases(EtcdCalls calls) {
		this.calls = calls;
	}

	/**
	 * Return the lease for a lease time, a new one if there is none.
	 * @return completes with a lease that is at least so long; fails if etcd did not
	 * grant it
	 */
	CompletableFuture<SharedLease> of(Duration leaseTime) {
		// rounded up: etcd counts leases in whole seconds
		long seconds = leaseTime.plusMillis(999).toSeconds();
		CompletableFuture<SharedLease> known = this.current.get(seconds);
		if (known != null && isUsable(known)) {
			return known;
		}
		CompletableFuture<SharedLease> made = new CompletableFuture<>();
		CompletableFuture<SharedLease> chosen = this.current.compute(seconds,
				(key, present) -> (present != null && isUsable(present)) ? present : made);
		if (chosen == made) {
			// lease times that are no longer used need no room
			this.current.values().removeIf((other) -> !isUsable(other));
			make(seconds, made);
		}
		return chosen;
	}

	/**
	 * Use another lease for later owners: an answer was lost, and what the request has
	 * left ends with this lease in any case.
	 */
	void replace(SharedLease lease) {
		this.current.values()
			.removeIf((each) -> each.isDone() && !each.isCompletedExceptionally() && each.join().id() == lease.id());
	}

	private void make(long seconds, CompletableFuture<SharedLease> made) {
		long sentAt = System.nanoTime();
		try {
			this.calls.grant(seconds)
				.thenApply((granted) -> new SharedLease(this.calls, granted.getID(),
						Duration.ofSeconds(granted.getTTL()), sentAt))
				.whenComplete(Failures.settling(made));
		}
		catch (RuntimeException | Error ex) {
			// otherwise all later owners would wait for this answer
			made.completeExceptionally(ex);
		}
	}

	private static boolean isUsable(CompletableFuture<SharedLease> lease) {
		return !lease.isDone() || (!lease.isCompletedExceptionally() && lease.join().isAlive());
	}

}
