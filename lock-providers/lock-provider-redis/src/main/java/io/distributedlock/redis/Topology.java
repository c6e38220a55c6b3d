package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client knows of the nodes of a cluster. Lettuce looks again when a connection is
 * lost, but not when a node is dead before it was first connected to: it would go on
 * trying that node, though another one has long taken its place.
 */
final class Topology {

	private static final Logger logger = LoggerFactory.getLogger(Topology.class);

	private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

	private final @Nullable Supplier<CompletionStage<Void>> look;

	/**
	 * Create one.
	 * @param look looks again, {@code null} where there is no cluster
	 */
	Topology(@Nullable Supplier<CompletionStage<Void>> look) {
		this.look = look;
	}

	/**
	 * Look again, as a node could not be reached or has not answered.
	 */
	void doubt() {
		long last = this.lookedAt.get();
		long now = System.nanoTime();
		if (this.look != null && now - last >= PAUSE_NANOS && this.lookedAt.compareAndSet(last, now)) {
			try {
				this.look.get().whenComplete((done, failure) -> {
					if (failure != null) {
						logger.debug("No node of the cluster says who serves which keys", failure);
					}
				});
			}
			catch (RuntimeException ex) {
				logger.debug("The client does not look again", ex);
			}
		}
	}

}
