package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.DelayedTasks;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A node that one owner has created.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperLease implements Lease {

	/**
	 * How many callers of this JVM can have a lease one after the other, each with a
	 * token of its own. A power of two, and small: a czxid has the number of the election
	 * in its upper half, and what compares tokens as floating-point numbers, such as Lua,
	 * can tell them apart for 131,072 elections.
	 */
	private static final int TOKENS = 16;

	private final LocalOwner owner;

	private final String path;

	private final long created;

	private final long token;

	private final long session;

	private final LeaseTerm term;

	/**
	 * Calls off what ends the lease with its term.
	 */
	private final AtomicReference<Runnable> end = new AtomicReference<>(() -> {
	});

	private final AtomicReference<@Nullable LossSignal> lossSignal = new AtomicReference<>();

	private final AtomicBoolean removed = new AtomicBoolean();

	private volatile @Nullable String loss;

	/**
	 * Create the lease of a node.
	 * @param path the path of the node
	 * @param stat what ZooKeeper knows of it
	 * @param provedAt the instant before the write that has proved its session
	 */
	ZooKeeperLease(LocalOwner owner, String path, Stat stat, long provedAt) {
		this.owner = owner;
		this.path = path;
		this.token = tokenOf(stat);
		this.created = stat.getCzxid();
		this.session = stat.getEphemeralOwner();
		this.term = term(provedAt, owner.request().leaseTime());
	}

	private LeaseTerm term(long provedAt, Duration leaseTime) {
		return new LeaseTerm(provedAt, shorter(leaseTime, this.owner.calls().provenLength()));
	}

	/**
	 * From now on, delete the node when the lease expires, and report when the session
	 * ends.
	 */
	void begin(Duration leaseTime) {
		this.owner.connection().add(this);
		endAfter(leaseTime);
	}

	/**
	 * Return the first token of a node's owner: the next node's is higher than the last
	 * one of this.
	 */
	static long tokenOf(Stat stat) {
		return Math.multiplyExact(stat.getCzxid(), TOKENS);
	}

	/**
	 * Return the last token that a caller can have from a node's owner.
	 */
	static long lastTokenOf(Stat stat) {
		return tokenOf(stat) + TOKENS - 1;
	}

	@Override
	public int fencingTokens() {
		return TOKENS;
	}

	@Override
	public OptionalLong fencingToken() {
		// permits are held together, so their order protects nothing
		return (this.owner.request().type() != LockType.SEMAPHORE) ? OptionalLong.of(this.token) : OptionalLong.empty();
	}

	@Override
	public Optional<String> ownerId() {
		return Optional.of(QueueNode.ownerOf(this.path));
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
	 * Write to the node, which proves that its session lives.
	 */
	CompletableFuture<CuratorEvent> prove() {
		return this.owner.calls().prove(this.path);
	}

	/**
	 * Look whether the node is still there. That is enough if another node has proved the
	 * session.
	 */
	CompletableFuture<CuratorEvent> look() {
		return this.owner.calls().look(this.path);
	}

	/**
	 * Renew the lease if its session was proved, its node is still there, and the client
	 * still has that session.
	 * @param provedAt the instant before the proof was sent
	 * @param answer the server's answer about the node
	 */
	CompletionStage<@Nullable LeaseTerm> renewed(Duration leaseTime, long provedAt,
			CompletableFuture<CuratorEvent> answer) {
		if (this.loss != null) {
			return CompletableFuture.completedFuture(null);
		}
		return answer.thenApply((event) -> {
			Stat stat = event.getStat();
			if (stat == null || stat.getCzxid() != this.created || !this.owner.connection().isCurrent(this.session)) {
				stop();
				// the node may still be there, in a session that lives
				remove();
				return null;
			}
			endAfter(leaseTime);
			this.owner.connection().proved(this.session, provedAt);
			return term(provedAt, leaseTime);
		});
	}

	@Override
	public CompletionStage<Boolean> release() {
		stop();
		return this.owner.calls().delete(this.path).whenComplete((had, failure) -> {
			if (failure != null) {
				// otherwise the node would stay as long as the session
				remove();
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
		remove();
		LossSignal signal = this.lossSignal.get();
		if (signal != null) {
			signal.lost(reason);
		}
	}

	static Duration shorter(Duration first, Duration second) {
		return (first.compareTo(second) <= 0) ? first : second;
	}

	private void endAfter(Duration leaseTime) {
		this.end.getAndSet(DelayedTasks.later(leaseTime, () -> {
			stop();
			remove();
		})).run();
	}

	/**
	 * Delete the node, however often that is tried: once for all failed releases.
	 */
	private void remove() {
		if (this.removed.getAndSet(true)) {
			return;
		}
		this.owner.calls().remove(this.path);
	}

	private void stop() {
		forget();
		this.owner.ended();
	}

	/**
	 * Undo {@link #begin}.
	 */
	void forget() {
		this.owner.connection().remove(this);
		this.end.getAndSet(() -> {
		}).run();
	}

	@Override
	public String toString() {
		return "ZooKeeperLease[path=%s, token=%s]".formatted(this.path, this.token);
	}

}
