package io.distributedlock.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease.LossSignal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import io.etcd.jetcd.ByteSequence;

/**
 * The key of one owner under an etcd lease that others use too, until the owner has left.
 * Deletes the key when its own time is over, as the etcd lease may run longer.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class OwnKey {

	private final EtcdCalls calls;

	private final String lockKey;

	private final ByteSequence name;

	private final SharedLease lease;

	private final long owner;

	private final CompletableFuture<String> lost = new CompletableFuture<>();

	/**
	 * The revision at which the key was created, zero as long as that is not known.
	 */
	private volatile long revision;

	private final Mutex mutex = new Mutex();

	private boolean over;

	/**
	 * Calls off the end of the time of the key.
	 */
	private Runnable timer = () -> {
	};

	/**
	 * Note a key that is about to be created.
	 * @param lockKey the key of the lock, for the log
	 * @param owner the number of the owner, which the name ends with
	 */
	OwnKey(EtcdCalls calls, String lockKey, ByteSequence name, SharedLease lease, long owner) {
		this.calls = calls;
		this.lockKey = lockKey;
		this.name = name;
		this.lease = lease;
		this.owner = owner;
		lease.add(this);
	}

	ByteSequence name() {
		return this.name;
	}

	SharedLease lease() {
		return this.lease;
	}

	long revision() {
		return this.revision;
	}

	void created(long atRevision) {
		this.revision = atRevision;
	}

	/**
	 * Keep the key until a term ends, instead of the term of the last call. To be called
	 * once the key was created.
	 * @return {@code false} if the key is over
	 */
	boolean keepFor(LeaseTerm term) {
		return this.mutex.get(() -> {
			if (this.over) {
				return false;
			}
			this.timer.run();
			long end = term.startNanos() + term.granted().toNanos();
			this.timer = DelayedTasks.later(Duration.ofNanos(end - System.nanoTime()), this::remove);
			return true;
		});
	}

	/**
	 * Return whether the owner no longer has the key, or is about to lose it.
	 */
	boolean isOver() {
		return this.mutex.get(() -> this.over);
	}

	/**
	 * Delete the key, if it is still the one that was created.
	 * @return completes with whether it was
	 */
	CompletionStage<Boolean> delete() {
		return this.calls.deleteIfCreatedAt(this.name, this.revision).thenApply((deleted) -> {
			if (end() && deleted) {
				this.lease.freeNumber(this.owner);
			}
			return deleted;
		});
	}

	/**
	 * Delete the key in the background, until etcd has said that it is gone. Does nothing
	 * if that was done before.
	 */
	void remove() {
		if (end()) {
			this.calls.deleteInBackground(this.lockKey, this.lease.length(), this::deleteAny);
		}
	}

	/**
	 * Delete the key, also if it was not created by the request whose answer is known. A
	 * request that does not say which key it means can arrive late, so its name is not
	 * used again.
	 */
	private CompletionStage<Boolean> deleteAny() {
		if (this.revision == 0) {
			return this.calls.delete(this.name);
		}
		return this.calls.deleteIfCreatedAt(this.name, this.revision).thenCompose((deleted) -> {
			if (!deleted) {
				return this.calls.delete(this.name);
			}
			this.lease.freeNumber(this.owner);
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Note that the key has gone with its etcd lease.
	 */
	void lose(String reason) {
		if (end()) {
			this.lost.complete(reason);
		}
	}

	/**
	 * Call somebody if the key goes with its etcd lease.
	 */
	void onLost(LossSignal signal) {
		this.lost.thenAccept(signal::lost);
	}

	private boolean end() {
		return this.mutex.get(() -> {
			boolean first = !this.over;
			this.over = true;
			this.timer.run();
			this.lease.remove(this);
			return first;
		});
	}

}
