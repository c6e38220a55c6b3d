package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's view of a cluster's nodes. Lettuce refreshes it when a connection is lost,
 * but not if a node dies before the first connection to it. Lettuce would then try the
 * dead node again and again, although a replica has taken its place.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
public final class Topology {

	private static final Logger logger = LoggerFactory.getLogger(Topology.class);

	/**
	 * The least time between two refreshes: each asks the nodes, and many commands may
	 * fail at the same time.
	 */
	private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final AtomicLong refreshedAt = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

	private final @Nullable Supplier<CompletionStage<Void>> refresh;

	/**
	 * Create a view.
	 * @param refresh refreshes it, {@code null} where there is no cluster
	 */
	public Topology(@Nullable Supplier<CompletionStage<Void>> refresh) {
		this.refresh = refresh;
	}

	/**
	 * Refresh the view, as a node could not be reached or has not answered.
	 */
	public void doubt() {
		long last = this.refreshedAt.get();
		long now = System.nanoTime();
		if (this.refresh != null && now - last >= PAUSE_NANOS && this.refreshedAt.compareAndSet(last, now)) {
			// a client that is shut down throws
			CompletableFuture.completedFuture(this.refresh).thenCompose(Supplier::get).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("No node of the cluster has answered which node serves which keys", failure);
				}
			});
		}
	}

}
