package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection for the length of a call, or of a lock. No statement is sent once the
 * caller has given up, and none waits without end for its answer: neither for a row that
 * another one has locked nor for a server that fell silent. Not thread-safe.
 */
final class Session implements AutoCloseable {

	/**
	 * A quarter of the range of the clock, so that differences of instants do not
	 * overflow.
	 */
	static final long NEVER_NANOS = Long.MAX_VALUE / 4;

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private static final int UNSUPPORTED = -1;

	private static final long BROKEN_PAUSE_MILLIS = 1000;

	/**
	 * More than a pool has.
	 */
	private static final int MAX_ENDED = 200;

	/**
	 * How much later than the server is told to cancel a statement the connection is
	 * given up.
	 */
	private static final int GRACE_MILLIS = 1000;

	private static final Executor BROKEN = (task) -> CallThreads.daemon("lock-jdbc-broken").newThread(task).start();

	private final Connection connection;

	private final int timeoutSeconds;

	private final boolean autoCommitBefore;

	private final int networkTimeoutBefore;

	private long giveUpAtNanos;

	private boolean broken;

	private Session(Connection connection, int timeoutSeconds, boolean autoCommitBefore, int networkTimeoutBefore,
			long giveUpAtNanos) {
		this.connection = connection;
		this.timeoutSeconds = timeoutSeconds;
		this.autoCommitBefore = autoCommitBefore;
		this.networkTimeoutBefore = networkTimeoutBefore;
		this.giveUpAtNanos = giveUpAtNanos;
	}

	/**
	 * Open a connection that commits each statement.
	 * @param commandTimeout how long a statement may take
	 * @param giveUpAtNanos when the caller gives up
	 */
	static Session open(DataSource dataSource, Duration commandTimeout, long giveUpAtNanos) throws SQLException {
		int timeoutSeconds = (int) Math.max(1, Math.min(commandTimeout.toSeconds(), 1_000_000));
		Connection connection = connection(dataSource, giveUpAtNanos);
		int networkTimeout = UNSUPPORTED;
		try {
			requireWaiting(giveUpAtNanos);
			networkTimeout = limitSilence(connection, timeoutSeconds * 1000 + GRACE_MILLIS);
			boolean autoCommit = connection.getAutoCommit();
			if (!autoCommit) {
				connection.setAutoCommit(true);
			}
			return new Session(connection, timeoutSeconds, autoCommit, networkTimeout, giveUpAtNanos);
		}
		catch (SQLException | RuntimeException ex) {
			Session unusable = new Session(connection, timeoutSeconds, true, networkTimeout, giveUpAtNanos);
			unusable.failed(ex);
			unusable.close();
			throw ex;
		}
	}

	/**
	 * Ask for a connection until there is one that has not ended. A pool hands out what
	 * was given back a moment ago without a look whether it still works, and does not
	 * know what every driver says of a connection that broke.
	 */
	private static Connection connection(DataSource dataSource, long giveUpAtNanos) throws SQLException {
		for (int tries = 0; tries < MAX_ENDED; tries++) {
			Connection connection = dataSource.getConnection();
			if (!hasEnded(connection)) {
				return connection;
			}
			Session ended = new Session(connection, 0, true, UNSUPPORTED, giveUpAtNanos);
			ended.broken = true;
			ended.close();
			requireWaiting(giveUpAtNanos);
		}
		throw new SQLNonTransientConnectionException("the pool hands out connections that have ended", "08003");
	}

	/**
	 * Return what the driver knows, without asking the server.
	 */
	private static boolean hasEnded(Connection connection) {
		try {
			return connection.unwrap(Connection.class).isClosed();
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			return false;
		}
	}

	/**
	 * Work on a connection of somebody else, as it is.
	 */
	static Session on(Connection connection) {
		return new Session(connection, 0, true, UNSUPPORTED, System.nanoTime() + NEVER_NANOS);
	}

	Connection connection() {
		return this.connection;
	}

	/**
	 * Say how long the caller waits from now on.
	 */
	void giveUpAt(long giveUpAtNanos) {
		this.giveUpAtNanos = giveUpAtNanos;
	}

	int update(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	void execute(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			statement.execute();
		}
	}

	/**
	 * Return the number in the first column of the first row, zero where there is none.
	 */
	long number(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters); ResultSet result = statement.executeQuery()) {
			return result.next() ? result.getLong(1) : 0;
		}
	}

	/**
	 * Return the text in the first column of the first row, {@code null} where there is
	 * none.
	 */
	@Nullable String text(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters); ResultSet result = statement.executeQuery()) {
			return result.next() ? result.getString(1) : null;
		}
	}

	/**
	 * Return the texts in the first column.
	 */
	List<String> texts(String sql, @Nullable Object... parameters) throws SQLException {
		List<String> texts = new ArrayList<>();
		try (PreparedStatement statement = prepare(sql, parameters); ResultSet result = statement.executeQuery()) {
			while (result.next()) {
				texts.add(result.getString(1));
			}
		}
		return texts;
	}

	PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
		requireWaiting(this.giveUpAtNanos);
		PreparedStatement statement = this.connection.prepareStatement(sql);
		statement.setQueryTimeout(this.timeoutSeconds);
		for (int i = 0; i < parameters.length; i++) {
			statement.setObject(i + 1, parameters[i]);
		}
		return statement;
	}

	/**
	 * Return whether the server answers.
	 */
	boolean isValid() throws SQLException {
		return this.connection.isValid(this.timeoutSeconds);
	}

	/**
	 * Note a failure, which may be one of the connection.
	 */
	void failed(Exception failure) {
		this.broken |= failure instanceof SQLException sqlException && JdbcErrors.isConnectionProblem(sqlException);
	}

	/**
	 * End the connection itself, which a pool then replaces: its transaction is in an
	 * unknown state.
	 */
	void abort() {
		this.broken = true;
		try {
			this.connection.abort(Runnable::run);
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection that broke could not be ended", ex);
		}
	}

	/**
	 * Give the connection back as it was. A pool hands out the connection that a thread
	 * gave back last to that thread, and does not look whether it still works. So one
	 * that is broken comes back later, on another thread.
	 */
	@Override
	public void close() {
		if (this.broken) {
			CompletableFuture.delayedExecutor(BROKEN_PAUSE_MILLIS, TimeUnit.MILLISECONDS, BROKEN)
				.execute(this::giveBack);
		}
		else {
			giveBack();
		}
	}

	private void giveBack() {
		try {
			if (!this.autoCommitBefore) {
				this.connection.setAutoCommit(false);
			}
			if (this.networkTimeoutBefore != UNSUPPORTED) {
				this.connection.setNetworkTimeout(Runnable::run, this.networkTimeoutBefore);
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection broke while it was used, which its pool will see", ex);
		}
		try {
			this.connection.close();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection broke while it was used", ex);
		}
	}

	private static void requireWaiting(long giveUpAtNanos) throws SQLException {
		if (System.nanoTime() - giveUpAtNanos >= 0) {
			throw new GivenUpException();
		}
	}

	/**
	 * Without a limit a thread waits for hours for a server that fell silent.
	 * @return the limit before, or that the driver has none
	 */
	private static int limitSilence(Connection connection, int millis) {
		try {
			int before = connection.getNetworkTimeout();
			if (before > 0 && before <= millis) {
				return UNSUPPORTED;
			}
			connection.setNetworkTimeout(Runnable::run, millis);
			return before;
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			return UNSUPPORTED;
		}
	}

	/**
	 * The caller does not wait any more, so that nothing is sent.
	 */
	static final class GivenUpException extends SQLTimeoutException {

		private static final long serialVersionUID = 1L;

		GivenUpException() {
			super("the caller has given up");
		}

	}

}
