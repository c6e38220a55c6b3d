package io.distributedlock.jdbc.internal.call;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.distributedlock.spi.support.DaemonThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection for one call, or for as long as it holds a row lock. Runs all statements
 * of locks. No statement is sent once the caller has given up, and none waits without end
 * for its answer: neither for a row that another one has locked nor for a server that
 * fell silent. Not thread-safe.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
public final class Session implements AutoCloseable {

	/**
	 * A quarter of the range of the clock, so that differences of instants do not
	 * overflow.
	 */
	public static final long NEVER_NANOS = Long.MAX_VALUE / 4;

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	/**
	 * In place of a limit, where a driver has none.
	 */
	private static final int UNSUPPORTED = -1;

	/**
	 * How long a broken connection is kept from its pool: longer than the half second for
	 * which HikariCP trusts a connection after its use.
	 */
	private static final long BROKEN_PAUSE_MILLIS = 1000;

	/**
	 * How many ended connections of a pool are passed over: more than a pool has.
	 */
	private static final int MAX_ENDED = 200;

	/**
	 * How much longer a connection may be silent than a statement may take, so that the
	 * server has time to cancel the statement and to say so.
	 */
	private static final int GRACE_MILLIS = 1000;

	private static final Executor BROKEN = (task) -> CallThreads.runAlone(new DaemonThreads("lock-jdbc-broken"), task);

	private final Connection connection;

	private final int timeoutSeconds;

	private final boolean autoCommitBefore;

	private final int networkTimeoutBefore;

	/**
	 * What the time-out of a statement was before {@link #limitTime}.
	 */
	private int timeoutBefore;

	private long giveUpAtNanos;

	private boolean broken;

	private @Nullable String lockedBy;

	private Session(Connection connection, int timeoutSeconds, boolean autoCommitBefore, int networkTimeoutBefore,
			long giveUpAtNanos) {
		this.connection = connection;
		this.timeoutSeconds = timeoutSeconds;
		this.timeoutBefore = timeoutSeconds;
		this.autoCommitBefore = autoCommitBefore;
		this.networkTimeoutBefore = networkTimeoutBefore;
		this.giveUpAtNanos = giveUpAtNanos;
	}

	/**
	 * Open a connection that commits each statement.
	 * @param commandTimeout how long a statement may take
	 * @param giveUpAtNanos when the caller gives up
	 */
	public static Session open(DataSource dataSource, Duration commandTimeout, long giveUpAtNanos) throws SQLException {
		// zero would mean no limit; and the silence, in milliseconds, must fit an int
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
		catch (SQLException | RuntimeException | Error ex) {
			Session unusable = new Session(connection, timeoutSeconds, true, networkTimeout, giveUpAtNanos);
			unusable.failed(ex);
			unusable.close();
			throw ex;
		}
	}

	/**
	 * Ask for a connection until there is one that has not ended. A pool does not test a
	 * connection that was returned shortly before, and does not know how every driver
	 * reports a broken connection.
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
		throw new SQLNonTransientConnectionException("the pool hands out only connections that have ended", "08003");
	}

	/**
	 * Return what the driver knows, without asking the server.
	 */
	private static boolean hasEnded(Connection connection) {
		try {
			return connection.unwrap(Connection.class).isClosed();
		}
		catch (SQLException | RuntimeException | Error ex) {
			return false;
		}
	}

	/**
	 * Work on a connection of the application, as it is.
	 */
	public static Session on(Connection connection) {
		return new Session(connection, 0, true, UNSUPPORTED, System.nanoTime() + NEVER_NANOS);
	}

	public Connection connection() {
		return this.connection;
	}

	/**
	 * Say how long the caller waits from now on.
	 */
	public void giveUpAt(long giveUpAtNanos) {
		this.giveUpAtNanos = giveUpAtNanos;
	}

	public int update(String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	/**
	 * Insert a row.
	 * @return {@code false} if there is a row with the same key
	 */
	public boolean insert(String sql, @Nullable Object... parameters) throws SQLException {
		try {
			update(sql, parameters);
			return true;
		}
		catch (SQLException ex) {
			if (SqlCodes.isDuplicate(ex)) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * Insert or update a row, and return the number that the database has generated for
	 * it, zero where there is no row.
	 */
	public long updateNumbered(String sql, @Nullable Object... parameters) throws SQLException {
		requireWaiting(this.giveUpAtNanos);
		try (PreparedStatement statement = this.connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
			fill(statement, parameters);
			if (statement.executeUpdate() == 0) {
				return 0;
			}
			try (ResultSet generated = statement.getGeneratedKeys()) {
				generated.next();
				return generated.getLong(1);
			}
		}
	}

	/**
	 * Read the first row, {@code null} where there is none.
	 */
	public <T> @Nullable T first(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters); ResultSet result = statement.executeQuery()) {
			return result.next() ? row.read(result) : null;
		}
	}

	/**
	 * Note which session of the server has a row lock.
	 */
	public void lockedBy(@Nullable String server) {
		this.lockedBy = server;
	}

	/**
	 * Return which session of the server has a row lock, {@code null} if that is not
	 * known.
	 */
	public @Nullable String lockedBy() {
		return this.lockedBy;
	}

	/**
	 * Return whether there is any row.
	 */
	public boolean isAny(String sql, @Nullable Object... parameters) throws SQLException {
		return first(sql, (row) -> true, parameters) != null;
	}

	/**
	 * Return the number in the first column of the first row, zero where there is none.
	 */
	public long number(String sql, @Nullable Object... parameters) throws SQLException {
		Long number = first(sql, (row) -> row.getLong(1), parameters);
		return (number != null) ? number : 0;
	}

	/**
	 * Return the text in the first column of the first row, {@code null} where there is
	 * none.
	 */
	public @Nullable String text(String sql, @Nullable Object... parameters) throws SQLException {
		return first(sql, (row) -> row.getString(1), parameters);
	}

	/**
	 * Return the texts in the first column.
	 */
	public List<String> texts(String sql, @Nullable Object... parameters) throws SQLException {
		return all(sql, (row) -> row.getString(1), parameters);
	}

	/**
	 * Read all rows.
	 */
	public <T> List<T> all(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
		List<T> all = new ArrayList<>();
		try (PreparedStatement statement = prepare(sql, parameters); ResultSet result = statement.executeQuery()) {
			while (result.next()) {
				all.add(row.read(result));
			}
		}
		return all;
	}

	private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
		requireWaiting(this.giveUpAtNanos);
		PreparedStatement statement = this.connection.prepareStatement(sql);
		fill(statement, parameters);
		return statement;
	}

	private void fill(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
		limitTime(statement);
		for (int i = 0; i < parameters.length; i++) {
			statement.setObject(i + 1, parameters[i]);
		}
	}

	/**
	 * Limit how long a statement may take. With H2 this is a limit of the whole
	 * connection, and is set once.
	 */
	private void limitTime(Statement statement) throws SQLException {
		int before = statement.getQueryTimeout();
		if (this.timeoutSeconds > 0 && before != this.timeoutSeconds) {
			statement.setQueryTimeout(this.timeoutSeconds);
			this.timeoutBefore = before;
		}
	}

	/**
	 * Undo {@link #limitTime} if the limit is one of the whole connection.
	 */
	private void restoreTime() throws SQLException {
		if (this.timeoutBefore == this.timeoutSeconds) {
			return;
		}
		try (Statement statement = this.connection.createStatement()) {
			if (statement.getQueryTimeout() == this.timeoutSeconds) {
				statement.setQueryTimeout(this.timeoutBefore);
			}
		}
	}

	/**
	 * Return whether the server answers.
	 */
	public boolean isValid() throws SQLException {
		return this.connection.isValid(this.timeoutSeconds);
	}

	/**
	 * Note a failure: if it is one of the connection, the connection is not used again.
	 */
	public void failed(Throwable failure) {
		this.broken |= failure instanceof SQLException sqlException && SqlCodes.isConnectionProblem(sqlException);
	}

	/**
	 * End the connection itself, since its transaction is in an unknown state. A pool
	 * then replaces it.
	 */
	public void abort() {
		this.broken = true;
		try {
			this.connection.abort(Runnable::run);
		}
		catch (SQLException | RuntimeException | Error ex) {
			logger.debug("A connection that broke could not be ended", ex);
		}
	}

	/**
	 * Return the connection to its pool in the state in which it came. A pool hands out
	 * the connection that a thread returned last to that thread again, without a test. So
	 * a broken one is returned later, and on another thread.
	 */
	@Override
	public void close() {
		if (this.broken) {
			CompletableFuture.delayedExecutor(BROKEN_PAUSE_MILLIS, TimeUnit.MILLISECONDS, BROKEN)
				.execute(this::returnConnection);
		}
		else {
			returnConnection();
		}
	}

	private void returnConnection() {
		try {
			// a pool warns of each call on a connection that has ended
			if (!hasEnded(this.connection)) {
				restore();
			}
		}
		catch (SQLException | RuntimeException | Error ex) {
			logger.debug("A connection broke while it was used; its pool will replace it", ex);
		}
		try {
			this.connection.close();
		}
		catch (SQLException | RuntimeException | Error ex) {
			logger.debug("A connection that broke could not be returned to its pool", ex);
		}
	}

	private void restore() throws SQLException {
		restoreTime();
		if (!this.autoCommitBefore) {
			this.connection.setAutoCommit(false);
		}
		if (this.networkTimeoutBefore != UNSUPPORTED) {
			this.connection.setNetworkTimeout(Runnable::run, this.networkTimeoutBefore);
		}
	}

	private static void requireWaiting(long giveUpAtNanos) throws SQLException {
		if (System.nanoTime() - giveUpAtNanos >= 0) {
			throw new GivenUpException();
		}
	}

	/**
	 * Limit how long the connection may be silent. Without a limit a thread waits for
	 * hours for a server that fell silent.
	 * @return the limit before; {@link #UNSUPPORTED} if the driver has none, or has a
	 * shorter one already
	 */
	private static int limitSilence(Connection connection, int millis) throws SQLException {
		try {
			int before = connection.getNetworkTimeout();
			if (before > 0 && before <= millis) {
				return UNSUPPORTED;
			}
			connection.setNetworkTimeout(Runnable::run, millis);
			return before;
		}
		catch (SQLFeatureNotSupportedException | RuntimeException | Error ex) {
			return UNSUPPORTED;
		}
	}

	/**
	 * Reads a row.
	 */
	@FunctionalInterface
	public interface Row<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * The caller does not wait any more, so nothing is sent.
	 */
	public static final class GivenUpException extends SQLTimeoutException {

		private static final long serialVersionUID = 1L;

		GivenUpException() {
			super("the caller has given up");
		}

	}

}
