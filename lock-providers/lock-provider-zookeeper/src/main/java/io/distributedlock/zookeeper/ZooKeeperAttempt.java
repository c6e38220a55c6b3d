package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.Lease;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a call that does not wait. One transaction replaces the node of the lock
 * by a new one that has the node of this owner. ZooKeeper refuses that if the lock has
 * other nodes, so a refused attempt leaves no node for which others would be refused.
 * Only an owner who may share the lock with others takes a place behind them.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 */
final class ZooKeeperAttempt {

	/**
	 * The number that ZooKeeper gives to the first node.
	 */
	private static final String FIRST = "0000000000";

	/**
	 * When to try again if only nodes are in the way that are about to be removed.
	 */
	private static final Duration PAUSE = Duration.ofMillis(2);

	private final LocalOwner owner;

	private final String path;

	ZooKeeperAttempt(LocalOwner owner) {
		this.owner = owner;
		this.path = owner.parent() + "/" + owner.name() + FIRST;
	}

	/**
	 * Make the attempt.
	 * @return completes with the lease, or with {@code null} if others have the lock or
	 * wait for it
	 */
	CompletionStage<@Nullable Lease> start() {
		return create(true).whenComplete((lease, failure) -> {
			if (lease == null) {
				this.owner.ended();
			}
		});
	}

	/**
	 * Create the node of this owner as the only one.
	 * @param known whether the node of the lock is expected to be there
	 */
	private CompletionStage<@Nullable Lease> create(boolean known) {
		long sentAt = System.nanoTime();
		CompletableFuture<CuratorEvent> created = this.owner.calls()
			.createAlone(this.owner.parent(), this.owner.name(), this.path, known, this.owner.patience());
		// the server carries out the commands of a session one after the other
		CompletableFuture<CuratorEvent> own = this.owner.calls().look(this.path);
		return created.thenCompose((event) -> switch (Code.get(event.getResultCode())) {
			case OK -> grant(own.thenCompose(this::orLookAgain), sentAt);
			case NONODE -> known ? create(false) : share();
			default -> findOthers(sentAt);
		});
	}

	private CompletionStage<@Nullable Lease> findOthers(long sentAt) {
		return this.owner.calls().children(this.owner.parent(), this.owner.patience()).thenCompose((children) -> {
			if (children.contains(this.owner.name() + FIRST)) {
				// an answer was lost, and the client has sent the transaction again
				return grant(this.owner.calls().look(this.path), sentAt);
			}
			List<QueueNode> before = QueueNode.afterAll(this.owner.name()).before(QueueNode.of(children));
			if (!children.isEmpty() && before.size() < this.owner.request().permits()) {
				return share();
			}
			if (this.owner.isRefusedFor(before)) {
				return CompletableFuture.completedFuture(null);
			}
			// who was in the way has gone, or is about to
			return pause().thenCompose((paused) -> create(true));
		});
	}

	/**
	 * Attempt to share the lock.
	 */
	private CompletionStage<@Nullable Lease> share() {
		return new ZooKeeperPlace(this.owner, false).take().attempt();
	}

	/**
	 * Return what completes when nodes that were about to be removed may have gone.
	 */
	static CompletionStage<?> pause() {
		return new CompletableFuture<Void>().completeOnTimeout(null, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * After a lost connection the client may send its commands in another order.
	 */
	private CompletionStage<CuratorEvent> orLookAgain(CuratorEvent looked) {
		return (looked.getStat() != null) ? CompletableFuture.completedFuture(looked)
				: this.owner.calls().look(this.path);
	}

	private CompletionStage<@Nullable Lease> grant(CompletionStage<CuratorEvent> own, long sentAt) {
		return own.<@Nullable Lease>thenApply((event) -> {
			Stat stat = event.getStat();
			if (stat == null || !this.owner.connection().isCurrent(stat.getEphemeralOwner())) {
				throw ZooKeeperErrors.goneWithItsSession();
			}
			this.owner.connection().proved(stat.getEphemeralOwner(), sentAt);
			return this.owner.lease(this.path, stat, sentAt);
		}).whenComplete((lease, failure) -> {
			if (failure != null) {
				this.owner.calls().remove(this.path);
			}
		});
	}

}
