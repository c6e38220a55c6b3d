package io.distributedlock.jdbc.internal.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes rows that nobody has used for a while, in the background: one batch after the
 * other, until there are no more.
 */
public final class TableSweep {

	/**
	 * How many rows of a table one sweep deletes: few enough for one call to end within
	 * the command time-out.
	 */
	public static final int BATCH = 200;

	private static final Logger logger = LoggerFactory.getLogger(TableSweep.class);

	/**
	 * Rows are kept for days by default, so an hour more does not matter.
	 */
	private static final Duration INTERVAL = Duration.ofHours(1);

	private TableSweep() {
	}

	/**
	 * Sweep once an hour.
	 * @param batch deletes some rows; completes with their number
	 */
	public static void regularly(JdbcCalls calls, Supplier<CompletableFuture<Integer>> batch) {
		calls.regularly(INTERVAL, () -> sweep(batch));
	}

	private static void sweep(Supplier<CompletableFuture<Integer>> batch) {
		batch.get().whenComplete((rows, failure) -> {
			if (failure != null) {
				logger.debug("Unused rows of locks were not deleted; the next sweep tries again", failure);
			}
			else if (rows > 0) {
				sweep(batch);
			}
		});
	}

}
