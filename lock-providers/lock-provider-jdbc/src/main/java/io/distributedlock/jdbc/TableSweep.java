package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes rows that nobody has used for a while, in the background: some at a time, and
 * more at once as long as there are any.
 */
final class TableSweep {

	/**
	 * How many rows of a table are deleted together.
	 */
	static final int BATCH = 200;

	private static final Logger logger = LoggerFactory.getLogger(TableSweep.class);

	private static final Duration INTERVAL = Duration.ofHours(1);

	private TableSweep() {
	}

	/**
	 * Sweep once an hour.
	 * @param batch deletes some rows, and gives how many
	 */
	static void regularly(JdbcCalls calls, Supplier<CompletableFuture<Integer>> batch) {
		calls.regularly(INTERVAL, () -> sweep(batch));
	}

	private static void sweep(Supplier<CompletableFuture<Integer>> batch) {
		batch.get().whenComplete((rows, failure) -> {
			if (failure != null) {
				logger.debug("Unused rows of locks were not swept, which is tried again later", failure);
			}
			else if (rows > 0) {
				sweep(batch);
			}
		});
	}

}
