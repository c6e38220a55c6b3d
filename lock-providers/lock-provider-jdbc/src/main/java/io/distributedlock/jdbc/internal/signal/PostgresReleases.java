package io.distributedlock.jdbc.internal.signal;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.LimitedLog;
import io.distributedlock.spi.support.ReleaseListeners;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to PostgreSQL's notifications of releases. Uses one connection for all waiters
 * of this node, from the first waiter to some time after the last one.
 */
public final class PostgresReleases implements ReleaseSignal, AutoCloseable {

	static final String CHANNEL = "distributed_lock";

	private static final Logger logger = LoggerFactory.getLogger(PostgresReleases.class);

	private static final LimitedLog warnings = new LimitedLog(logger);

	/**
	 * How long to wait for notifications at a time. A notification ends the wait, so this
	 * delays only the end of listening.
	 */
	private static final int LOOK_MILLIS = 500;

	/**
	 * After how many waits without any waiter the connection is returned: ten seconds, so
	 * that short pauses between waiters do not cost a connection each.
	 */
	private static final int IDLE_LOOKS = 20;

	/**
	 * After how many waits without a notification the server is asked whether it still
	 * answers: ten seconds. Until then a broken connection costs polls instead of
	 * signals.
	 */
	private static final int QUIET_LOOKS = 20;

	/**
	 * How long to wait after a failure: a database that is down is not asked more often
	 * than waiters poll.
	 */
	private static final long RETRY_NANOS = 1_000_000_000;

	private final ReleaseListeners listeners = new ReleaseListeners();

	private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

	private final JdbcCalls calls;

	private final ThreadFactory threads;

	private volatile boolean listening;

	private volatile boolean closed;

	public PostgresReleases(JdbcCalls calls) {
		this(calls, new DaemonThreads("lock-jdbc-listen"));
	}

	/**
	 * Create one whose thread is made in another way.
	 */
	PostgresReleases(JdbcCalls calls, ThreadFactory threads) {
		this.calls = calls;
		this.threads = threads;
	}

	public static boolean isSupported() {
		try {
			Class.forName("org.postgresql.PGConnection", false, PostgresReleases.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		Subscription subscription = this.listeners.add(key, onRelease);
		start();
		if (this.listening) {
			onRelease.run();
		}
		return subscription;
	}

	/**
	 * Listen for one more message, on behalf of somebody who listens already.
	 * @see ReleaseAnnouncements
	 */
	public Subscription listenToo(String message, Runnable onRelease) {
		return this.listeners.add(message, onRelease);
	}

	/**
	 * Tell the listeners of this JVM a message that the database will bring too.
	 */
	public void tell(String message) {
		this.listeners.tell(message);
	}

	/**
	 * Return whether messages arrive.
	 */
	public boolean isListening() {
		return this.listening;
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread.get());
	}

	private void start() {
		if (this.closed || this.thread.get() != null) {
			return;
		}
		Thread listener = this.threads.newThread(this::run);
		if (this.thread.compareAndSet(null, listener)) {
			try {
				listener.start();
			}
			catch (Error ex) {
				// for example because there is no memory for another thread
				this.thread.set(null);
				warnings.warn(
						"Releases are noticed by asking at intervals: there is no thread to listen to notifications",
						ex);
			}
		}
	}

	private void run() {
		while (!this.closed && this.listeners.keys() > 0) {
			try (Session session = this.calls.open(System.nanoTime() + Session.NEVER_NANOS)) {
				listen(session);
			}
			catch (SQLException | RuntimeException | Error ex) {
				logger.debug("Releases are noticed by asking at intervals until notifications can be listened to again",
						ex);
				LockSupport.parkNanos(this, RETRY_NANOS);
			}
			finally {
				this.listening = false;
			}
		}
		this.thread.set(null);
		if (this.listeners.keys() > 0) {
			// somebody came between the last look and the end
			start();
		}
	}

	private void listen(Session session) throws SQLException {
		PGConnection postgres = session.connection().unwrap(PGConnection.class);
		try (Statement statement = session.connection().createStatement()) {
			statement.execute("LISTEN " + CHANNEL);
			this.listening = true;
			// what was released before was not heard
			this.listeners.tellAll();
			int idle = 0;
			int quiet = 0;
			while (!this.closed && idle < IDLE_LOOKS) {
				PGNotification[] notifications = postgres.getNotifications(LOOK_MILLIS);
				quiet = (notifications != null) ? 0 : quiet + 1;
				if (quiet >= QUIET_LOOKS) {
					// nobody has released anything, or the connection has fallen silent
					statement.execute("SELECT 1");
					quiet = 0;
				}
				if (notifications != null) {
					for (PGNotification notification : notifications) {
						this.listeners.tell(notification.getParameter());
					}
				}
				idle = (this.listeners.keys() > 0) ? 0 : idle + 1;
			}
			this.listening = false;
			statement.execute("UNLISTEN " + CHANNEL);
		}
		catch (SQLException | RuntimeException | Error ex) {
			// it may still listen, and would collect messages for others
			session.abort();
			throw ex;
		}
	}

}
