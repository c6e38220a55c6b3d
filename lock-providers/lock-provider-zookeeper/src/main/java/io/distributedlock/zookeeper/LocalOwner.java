package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.support.SharedWatch;
import org.apache.zookeeper.data.Stat;

/**
 * One owner of this JVM, which asks for a lock or has it.
 *
 * @param calls the commands
 * @param connection the connection of the client
 * @param watches the watches on the locks for which owners of this JVM wait
 * @param all the owners of this JVM
 * @param request what the owner asks for
 * @param id the name of the owner, as {@link LocalOwners#next} has given it
 * @param parent the node of the lock
 * @param name what the names of this owner's nodes start with, and of nobody else's. It
 * finds them if the answer to a creation is lost
 */
record LocalOwner(ZooKeeperCalls calls, Connection connection,
		SharedWatch.All<String, QueueWatch.Waiter, QueueWatch> watches, LocalOwners all, LeaseRequest request,
		String id, String parent, String name) {

	/**
	 * A proof of the session that is less old is as good as a new one.
	 */
	private static final Duration FRESH = Duration.ofMillis(100);

	/**
	 * Of a short session, less: a fiftieth of what a proof is worth.
	 */
	private static final int FRESH_FRACTION = 50;

	/**
	 * Note that the owner neither waits nor has the lock any more.
	 */
	void ended() {
		this.all.ended(this.id);
	}

	Duration patience() {
		return Duration.ofNanos(this.request.remainingNanos());
	}

	/**
	 * Return whether nodes in front are a reason to refuse a call that does not wait: not
	 * if they are about to be removed.
	 */
	boolean isRefusedFor(List<QueueNode> before) {
		return this.all.remaining(before).size() >= this.request.permits() || this.request.remainingNanos() <= 0;
	}

	/**
	 * Return the start of a term: the instant before the last request that has proved the
	 * session. If that is too long ago, another one proves it now.
	 * @param path the path of the node
	 * @param session the session that has created it
	 */
	CompletionStage<Long> proved(String path, long session) {
		Duration worth = this.calls.provenLength();
		Long last = this.connection.provedWithin(session,
				ZooKeeperLease.shorter(worth.dividedBy(FRESH_FRACTION), FRESH));
		if (last != null) {
			// a lease that is shorter than what the proof is worth may start later
			long spare = worth.minus(ZooKeeperLease.shorter(this.request.leaseTime(), worth)).toNanos();
			return CompletableFuture.completedFuture(last + Math.min(spare, System.nanoTime() - last));
		}
		long sentAt = System.nanoTime();
		return this.calls.prove(path).thenApply((event) -> {
			if (event.getStat() == null || !this.connection.isCurrent(session)) {
				throw ZooKeeperErrors.goneWithItsSession();
			}
			this.connection.proved(session, sentAt);
			return sentAt;
		});
	}

	/**
	 * Return the lease of a node, which has begun: the caller may release it at once.
	 * @param path the path of the node
	 * @param stat what ZooKeeper knows of it
	 * @param provedAt the instant before the write that has proved its session
	 */
	ZooKeeperLease lease(String path, Stat stat, long provedAt) {
		ZooKeeperLease lease = new ZooKeeperLease(this, path, stat, provedAt);
		lease.begin(this.request.leaseTime());
		return lease;
	}

}
