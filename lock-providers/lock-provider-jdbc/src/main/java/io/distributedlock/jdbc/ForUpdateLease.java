package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row lock and the session that holds it. A session that breaks has lost its lock.
 */
final class ForUpdateLease implements Lease {

	private static final Logger logger = LoggerFactory.getLogger(ForUpdateLease.class);

	private final ForUpdateLockProvider provider;

	private final JdbcCalls calls;

	private final String key;

	private final long token;

	private final LeaseTerm term;

	/**
	 * A session serves one call at a time.
	 */
	private final ReentrantLock use = new ReentrantLock();

	private @Nullable Session session;

	private @Nullable Future<?> end;

	ForUpdateLease(ForUpdateLockProvider provider, JdbcCalls calls, String key, Session session, long token,
			LeaseTerm term) {
		this.provider = provider;
		this.calls = calls;
		this.key = key;
		this.session = session;
		this.token = token;
		this.term = term;
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
		return this.calls.upkeepOfHeld((giveUpAt) -> prolong(next, giveUpAt)).thenApply((alive) -> alive ? next : null);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.calls.end(this::letGo);
	}

	/**
	 * End the lock when a term is over, unless it is renewed.
	 */
	void endAfter(LeaseTerm running) {
		this.use.lock();
		try {
			cancelEnd();
			if (this.session == null) {
				return;
			}
			this.end = this.calls.later(running.startNanos() + running.granted().toNanos() - System.nanoTime(),
					this::endUnattended);
			if (this.end != null) {
				return;
			}
		}
		finally {
			this.use.unlock();
		}
		// the provider is closed, and nobody would end it later
		letGo();
	}

	/**
	 * End the lock without anyone waiting for it.
	 */
	void endUnattended() {
		release().whenComplete((released, failure) -> {
			if (failure != null && !(failure.getCause() instanceof BackendException)) {
				logger.debug("The row lock of '{}' ends with its connection", this.key, failure);
			}
		});
	}

	/**
	 * End the lock and wait for that.
	 * @return whether it was there
	 */
	boolean letGo() {
		this.use.lock();
		try {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			this.session = null;
			cancelEnd();
			return this.provider.end(this, this.key, current);
		}
		finally {
			this.use.unlock();
		}
	}

	private boolean prolong(LeaseTerm next, long giveUpAtNanos) {
		this.use.lock();
		try {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			current.giveUpAt(giveUpAtNanos);
			if (this.provider.isAlive(current, next.granted())) {
				endAfter(next);
				return true;
			}
			letGo();
			return false;
		}
		catch (Session.GivenUpException ex) {
			// nothing was sent, and nobody waits: the lock ends when it would have
			return false;
		}
		catch (SQLException ex) {
			logger.debug("The connection that held lock '{}' was broken", this.key, ex);
			letGo();
			return false;
		}
		finally {
			this.use.unlock();
		}
	}

	private void cancelEnd() {
		Future<?> timer = this.end;
		if (timer != null) {
			timer.cancel(false);
		}
		this.end = null;
	}

	@Override
	public String toString() {
		return "ForUpdateLease[key=%s, token=%d]".formatted(this.key, this.token);
	}

}
