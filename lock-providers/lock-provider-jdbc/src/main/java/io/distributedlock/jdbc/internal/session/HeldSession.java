package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row lock and the session that holds it. If the session breaks, the lock is lost.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
final class HeldSession {

	private static final Logger logger = LoggerFactory.getLogger(HeldSession.class);

	private final SessionLockProvider provider;

	private final JdbcCalls calls;

	private final String key;

	/**
	 * A session serves one call at a time.
	 */
	private final Mutex use = new Mutex();

	private @Nullable Session session;

	/**
	 * Calls off the end of the term.
	 */
	private Runnable timer = () -> {
	};

	HeldSession(SessionLockProvider provider, JdbcCalls calls, String key, Session session) {
		this.provider = provider;
		this.calls = calls;
		this.key = key;
		this.session = session;
	}

	CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		LeaseTerm next = new LeaseTerm(System.nanoTime(), leaseTime);
		return this.calls.upkeepOfHeld((giveUpAt) -> prolong(next, giveUpAt)).thenApply((alive) -> alive ? next : null);
	}

	CompletableFuture<Boolean> release() {
		return this.calls.end(this::end);
	}

	/**
	 * End the row lock when a term is over, unless it is renewed.
	 */
	void endAfter(LeaseTerm running) {
		this.use.run(() -> {
			this.timer.run();
			if (this.session != null) {
				long end = running.startNanos() + running.granted().toNanos();
				this.timer = DelayedTasks.later(Duration.ofNanos(end - System.nanoTime()), this::endInBackground);
			}
		});
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
	private boolean end() {
		return this.use.get(() -> {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			this.session = null;
			this.timer.run();
			return this.provider.end(this, this.key, current);
		});
	}

	private boolean prolong(LeaseTerm next, long giveUpAtNanos) {
		return this.use.get(() -> {
			Session current = this.session;
			if (current == null) {
				return false;
			}
			current.giveUpAt(giveUpAtNanos);
			try {
				if (this.provider.isAlive(current, this.key, next.granted())) {
					endAfter(next);
					return true;
				}
			}
			catch (Session.GivenUpException ex) {
				// nothing was sent, so the lock is neither renewed nor lost
				throw new CompletionException(ex);
			}
			catch (SQLException ex) {
				logger.debug("The connection that held lock '{}' was broken", this.key, ex);
			}
			end();
			return false;
		});
	}

}
