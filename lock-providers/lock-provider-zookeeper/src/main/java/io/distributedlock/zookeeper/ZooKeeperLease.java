package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A node that one owner has created.
 */
final class ZooKeeperLease implements Lease {

	private final ZooKeeperCalls calls;

	private final Connection connection;

	private final String path;

	private final long created;

	private final boolean fenced;

	private final long session;

	private final LeaseTerm term;

	private final AtomicReference<@Nullable Future<?>> end = new AtomicReference<>();

	private final AtomicReference<@Nullable LossSignal> lossSignal = new AtomicReference<>();

	private volatile @Nullable String loss;

	ZooKeeperLease(ZooKeeperCalls calls, Connection connection, String path, Stat stat, boolean fenced,
			LeaseTerm term) {
		this.calls = calls;
		this.connection = connection;
		this.path = path;
		this.created = stat.getCzxid();
		this.fenced = fenced;
		this.session = stat.getEphemeralOwner();
		this.term = term;
	}

	/**
	 * Watch over the session and over the end of the lease from now on.
	 */
	void begin(Duration leaseTime) {
		this.connection.add(this);
		endAfter(leaseTime);
	}

	@Override
	public OptionalLong fencingToken() {
		// permits are held together: a number of their order would guard nothing
		return this.fenced ? OptionalLong.of(this.created) : OptionalLong.empty();
	}

	@Override
	public LeaseTerm term() {
		return this.term;
	}

	long session() {
		return this.session;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		long sentAt = System.nanoTime();
		return renewed(leaseTime, sentAt, prove());
	}

	/**
	 * Write to the node, which proves the session that it belongs to.
	 */
	CompletableFuture<CuratorEvent> prove() {
		return this.calls.prove(this.path);
	}

	/**
	 * Look whether the node is still there: enough beside a proof of its session.
	 */
	CompletableFuture<CuratorEvent> look() {
		return this.calls.look(this.path);
	}

	/**
	 * Renew the lease if its session was proved, and its node is still there and of the
	 * present session.
	 * @param provedAt the instant before the proof was sent
	 * @param answer what the server has said of the node
	 */
	CompletionStage<@Nullable LeaseTerm> renewed(Duration leaseTime, long provedAt,
			CompletableFuture<CuratorEvent> answer) {
		if (this.loss != null) {
			return CompletableFuture.completedFuture(null);
		}
		return answer.thenApply((event) -> {
			Stat stat = event.getStat();
			if (stat == null || stat.getCzxid() != this.created || !this.connection.isCurrent(this.session)) {
				stop();
				// it may be there all the same, and of a session that lives
				this.calls.remove(this.path);
				return null;
			}
			endAfter(leaseTime);
			return new LeaseTerm(provedAt, shorter(leaseTime, this.calls.provenLength()));
		});
	}

	@Override
	public CompletionStage<Boolean> release() {
		stop();
		return this.calls.delete(this.path).whenComplete((deleted, failure) -> {
			if (failure != null) {
				// the session would keep it
				this.calls.remove(this.path);
			}
		});
	}

	@Override
	public void onLost(LossSignal signal) {
		this.lossSignal.set(signal);
		String reason = this.loss;
		if (reason != null) {
			signal.lost(reason);
		}
	}

	void lose(String reason) {
		this.loss = reason;
		stop();
		this.calls.remove(this.path);
		LossSignal signal = this.lossSignal.get();
		if (signal != null) {
			signal.lost(reason);
		}
	}

	static Duration shorter(Duration first, Duration second) {
		return (first.compareTo(second) <= 0) ? first : second;
	}

	private void endAfter(Duration leaseTime) {
		Future<?> before = this.end.getAndSet(this.calls.later(leaseTime, () -> {
			stop();
			this.calls.remove(this.path);
		}));
		if (before != null) {
			before.cancel(false);
		}
	}

	private void stop() {
		this.connection.remove(this);
		Future<?> current = this.end.getAndSet(null);
		if (current != null) {
			current.cancel(false);
		}
	}

	@Override
	public String toString() {
		return "ZooKeeperLease[path=%s, token=%d]".formatted(this.path, this.created);
	}

}
