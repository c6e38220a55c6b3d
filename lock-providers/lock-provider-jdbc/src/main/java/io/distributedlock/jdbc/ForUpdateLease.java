package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row lock and the connection that holds it. A connection that breaks has lost its
 * lock.
 */
final class ForUpdateLease implements Lease {

	private static final Logger logger = LoggerFactory.getLogger(ForUpdateLease.class);

	private final ForUpdateLockProvider provider;

	private final JdbcCalls calls;

	private final String key;

	private final long token;

	private final LeaseTerm term;

	private final boolean notifies;

	/**
	 * A connection serves one call at a time.
	 */
	private final ReentrantLock use = new ReentrantLock();

	private final AtomicReference<@Nullable Future<?>> end = new AtomicReference<>();

	private @Nullable Connection connection;

	ForUpdateLease(ForUpdateLockProvider provider, JdbcCalls calls, String key, Connection connection, long token,
			LeaseTerm term, boolean notifies) {
		this.provider = provider;
		this.calls = calls;
		this.key = key;
		this.connection = connection;
		this.token = token;
		this.term = term;
		this.notifies = notifies;
	}

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.token);
	}

	@Override
	public LeaseTerm term() {
		return this.term;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		LeaseTerm next = new LeaseTerm(System.nanoTime(), leaseTime);
		return this.calls.run(this::isAlive).thenApply((alive) -> {
			if (!alive) {
				return null;
			}
			endAfter(leaseTime);
			return next;
		});
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.calls.run(this::letGo);
	}

	/**
	 * End the lock when its time is over, unless it is renewed.
	 */
	void endAfter(Duration leaseTime) {
		Future<?> before = this.end.getAndSet(this.calls.later(leaseTime, this::end));
		if (before != null) {
			before.cancel(false);
		}
	}

	/**
	 * End the lock without anyone waiting for it.
	 */
	void end() {
		release().whenComplete((released, failure) -> {
			if (failure != null && !(failure instanceof BackendException)) {
				logger.debug("The row lock of '{}' ends with its connection", this.key, failure);
			}
		});
	}

	private boolean isAlive() {
		this.use.lock();
		try {
			Connection current = this.connection;
			if (current == null) {
				return false;
			}
			if (isValid(current)) {
				return true;
			}
			close(current);
			return false;
		}
		finally {
			this.use.unlock();
		}
	}

	private boolean letGo() {
		this.use.lock();
		try {
			Connection current = this.connection;
			if (current == null) {
				return false;
			}
			try {
				if (this.notifies) {
					announce(current);
				}
				current.commit();
				return true;
			}
			catch (SQLException ex) {
				logger.debug("The connection that held lock '{}' was broken", this.key, ex);
				return false;
			}
			finally {
				close(current);
			}
		}
		finally {
			this.use.unlock();
		}
	}

	private boolean isValid(Connection current) {
		try {
			return current.isValid(this.calls.timeoutSeconds());
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private void announce(Connection current) throws SQLException {
		try (PreparedStatement statement = current.prepareStatement("SELECT pg_notify(?, ?)")) {
			statement.setString(1, PostgresReleases.CHANNEL);
			statement.setString(2, this.key);
			statement.execute();
		}
	}

	private void close(Connection current) {
		this.connection = null;
		Future<?> timer = this.end.getAndSet(null);
		if (timer != null) {
			timer.cancel(false);
		}
		this.provider.giveBack(current);
	}

	@Override
	public String toString() {
		return "ForUpdateLease[key=%s, token=%d]".formatted(this.key, this.token);
	}

}
