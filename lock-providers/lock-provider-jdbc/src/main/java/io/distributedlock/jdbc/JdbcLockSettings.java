package io.distributedlock.jdbc;

import java.time.Duration;

/**
 * How locks use a database. Immutable; each {@code with} method returns a changed copy.
 *
 * @param dialect the dialect of the database
 * @param strategy how the database keeps a lock
 * @param commandTimeout how long one call to the database may take, the wait for a
 * connection included
 * @param threads how many attempts run at a time, each with a connection of its own; half
 * as many more, at least two, renew and release
 * @param maxLockConnections how many connections hold locks at a time, with
 * {@link JdbcLockStrategy#FOR_UPDATE} and {@link JdbcLockStrategy#ADVISORY}
 * @param sweepAfter how long a row that nobody uses is kept
 * @since 0.1
 */
public record JdbcLockSettings(JdbcDialect dialect, JdbcLockStrategy strategy, Duration commandTimeout, int threads,
		int maxLockConnections, Duration sweepAfter) {

	/**
	 * Check the settings.
	 * @param dialect the dialect of the database
	 * @param strategy how the database keeps a lock
	 * @param commandTimeout how long one call to the database may take
	 * @param threads how many attempts run at a time
	 * @param maxLockConnections how many connections hold locks at a time
	 * @param sweepAfter how long a row that nobody uses is kept
	 * @throws IllegalArgumentException if there are no threads or no connections
	 */
	public JdbcLockSettings {
		if (threads < 1 || maxLockConnections < 1) {
			throw new IllegalArgumentException("Locks on a database need at least one thread and one connection");
		}
	}

	/**
	 * Return how many connections locks use at a time at most: for attempts, to renew and
	 * release, to hold row locks, and one to listen for releases.
	 * @return the size of a pool for locks alone
	 */
	public int connections() {
		return this.threads + upkeepThreads() + 1;
	}

	/**
	 * Return how many threads renew and release. Fewer than for attempts, as an attempt
	 * that is not granted needs neither; two at least, so that one slow statement does
	 * not hold up all others. With row locks one for each, as each has its connection
	 * already.
	 */
	int upkeepThreads() {
		return holdsConnections() ? this.maxLockConnections : Math.max(2, this.threads / 2);
	}

	/**
	 * Return how many threads wait on the server. Each has one of the connections that
	 * hold locks: half of them, so that waiters do not keep others from free keys.
	 */
	int waitThreads() {
		return Math.max(1, this.maxLockConnections / 2);
	}

	private boolean holdsConnections() {
		return this.strategy == JdbcLockStrategy.FOR_UPDATE || this.strategy == JdbcLockStrategy.ADVISORY;
	}

	/**
	 * Return the defaults: strategy row, three seconds for a call, four threads, ten
	 * connections that hold locks, rows are swept after seven days.
	 * @param dialect the dialect of the database
	 * @return the settings
	 */
	public static JdbcLockSettings of(JdbcDialect dialect) {
		return new JdbcLockSettings(dialect, JdbcLockStrategy.ROW, Duration.ofSeconds(3), 4, 10, Duration.ofDays(7));
	}

	/**
	 * Set how the database keeps a lock.
	 * @param strategy the strategy
	 * @return a changed copy
	 */
	public JdbcLockSettings withStrategy(JdbcLockStrategy strategy) {
		return new JdbcLockSettings(this.dialect, strategy, this.commandTimeout, this.threads, this.maxLockConnections,
				this.sweepAfter);
	}

	/**
	 * Set how long one call to the database may take.
	 * @param commandTimeout the time-out, which includes the wait for a connection
	 * @return a changed copy
	 */
	public JdbcLockSettings withCommandTimeout(Duration commandTimeout) {
		return new JdbcLockSettings(this.dialect, this.strategy, commandTimeout, this.threads, this.maxLockConnections,
				this.sweepAfter);
	}

	/**
	 * Set how many attempts run at a time.
	 * @param threads the number of threads, at least 1, each of which takes one
	 * connection
	 * @return a changed copy
	 * @throws IllegalArgumentException if it is less
	 */
	public JdbcLockSettings withThreads(int threads) {
		return new JdbcLockSettings(this.dialect, this.strategy, this.commandTimeout, threads, this.maxLockConnections,
				this.sweepAfter);
	}

	/**
	 * Set how many connections hold locks at a time.
	 * @param maxLockConnections the number of connections, at least 1
	 * @return a changed copy
	 * @throws IllegalArgumentException if it is less
	 */
	public JdbcLockSettings withMaxLockConnections(int maxLockConnections) {
		return new JdbcLockSettings(this.dialect, this.strategy, this.commandTimeout, this.threads, maxLockConnections,
				this.sweepAfter);
	}

	/**
	 * Set how long a row that nobody uses is kept.
	 * @param sweepAfter the time since its last use
	 * @return a changed copy
	 */
	public JdbcLockSettings withSweepAfter(Duration sweepAfter) {
		return new JdbcLockSettings(this.dialect, this.strategy, this.commandTimeout, this.threads,
				this.maxLockConnections, sweepAfter);
	}

}
