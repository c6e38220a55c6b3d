package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.DelayedTasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row lock and the session that holds it. If the session breaks, the lock is lost.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
final class SessionLease implements Lease {

	private static final Logger logger = LoggerFactory.getLogger(SessionLease.class);

	private final SessionLockProvider provider;

	private final JdbcCalls calls;

	private final String key;

	private final long token;

	private final int tokens;

	private final LeaseTerm term;

	/**
	 * A session serves one call at a time.
	 */
	private final ReentrantLock use = new ReentrantLock();

	private @Nullable Session session;

	/**
	 * Calls off the end of the term.
	 */
	private Runnable timer = () -> {
	};

	/**
	 * Create the lease of a session that has its lock.
	 * @param token the first token
	 * @param tokens how many there are
	 */
	SessionLease(SessionLockProvider provider, JdbcCalls calls, String key, Session session, long token, int tokens,
			LeaseTerm term) {
		this.provider = provider;
		this.calls = calls;
		this.key = key;
		this.session = session;
		this.token = token;
		this.tokens = tokens;
		this.term = term;
	}

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.token);
	}

	@Override
	public int fencingTokens() {
		return this.tokens;
	}

	@Override
	public LeaseTerm term() {
		return this.term;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		LeaseTerm next = new LeaseTerm(System.nanoTime(), leaseTime);
		return this.calls.upkeepOfHeld((giveUpAt) -> prolong(next, giveUpAt)).thenApply((alive) -> alive ? next : null);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.calls.end(this::end);
	}

	/**
	 * End the row lock when a term is over, unless it is renewed.
	 */
	void endAfter(LeaseTerm running) {
		this.use.lock();
		try {
			this.timer.run();
			if (this.session != null) {
				long end = running.startNanos() + running.granted().toNanos();
				this.timer = DelayedTasks.later(Duration.ofNanos(end - System.nanoTime()), this::endInBackground);
			}
		}
		finally {
			this.use.unlock();
		}
	}

	/**
	 * End the row lock while nobody waits for that.
	 */
	private void endInBackground() {
		release().whenComplete((released, failure) -> {
			if (failure != null) {
				logger.debug("The row lock of '{}' could not be released; it ends with its connection", this.key,
						failure);
			}
		});
	}

	/**
	 * End the row lock and wait for that.
	 * @return whether the session had its row lock until now
	 */
	boolean end() {
		this.use.lock();
		try {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			this.session = null;
			this.timer.run();
			return this.provider.end(this, this.key, current);
		}
		finally {
			this.use.unlock();
		}
	}

	private boolean prolong(LeaseTerm next, long giveUpAtNanos) throws Session.GivenUpException {
		this.use.lock();
		try {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			current.giveUpAt(giveUpAtNanos);
			if (this.provider.isAlive(current, this.key, next.granted())) {
				endAfter(next);
				return true;
			}
			end();
			return false;
		}
		catch (Session.GivenUpException ex) {
			// nothing was sent, so the lock is neither renewed nor lost
			throw ex;
		}
		catch (SQLException ex) {
			logger.debug("The connection that held lock '{}' was broken", this.key, ex);
			end();
			return false;
		}
		finally {
			this.use.unlock();
		}
	}

	@Override
	public String toString() {
		return "SessionLease[key=%s, token=%s]".formatted(this.key, this.token);
	}

}
