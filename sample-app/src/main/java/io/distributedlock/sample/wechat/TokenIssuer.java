package io.distributedlock.sample.wechat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.sample.DemoClock;
import org.jspecify.annotations.Nullable;

/**
 * Issues tokens by the rule that makes a lock necessary: only one token is valid, and a
 * new one replaces it.
 */
public final class TokenIssuer {

	/**
	 * How long a token is valid, as the API states it.
	 */
	public static final Duration LIFETIME = Duration.ofHours(2);

	private static final double EARLY = 0.5;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile @Nullable Issued current;

	private final AtomicLong issued = new AtomicLong();

	private final AtomicLong replacedEarly = new AtomicLong();

	String issue() {
		Issued fresh = new Issued(UUID.randomUUID().toString().replace("-", ""), System.nanoTime());
		this.lock.lock();
		try {
			Issued replaced = this.current;
			this.current = fresh;
			this.issued.incrementAndGet();
			if (replaced != null && replaced.isReplacedEarly()) {
				this.replacedEarly.incrementAndGet();
			}
		}
		finally {
			this.lock.unlock();
		}
		return fresh.token();
	}

	boolean isValid(String token) {
		Issued valid = this.current;
		return valid != null && valid.token().equals(token) && !valid.isExpired();
	}

	/**
	 * Forget the current token.
	 */
	public void forget() {
		this.current = null;
	}

	/**
	 * Return how many tokens were issued.
	 * @return the count since the start
	 */
	public long issued() {
		return this.issued.get();
	}

	/**
	 * Return how many tokens were replaced in the first half of their lifetime.
	 * @return the count since the start
	 */
	public long replacedEarly() {
		return this.replacedEarly.get();
	}

	private record Issued(String token, long issuedAt) {

		boolean isExpired() {
			return age() >= 1;
		}

		boolean isReplacedEarly() {
			return age() < EARLY;
		}

		private double age() {
			return (double) (System.nanoTime() - this.issuedAt) / DemoClock.real(LIFETIME).toNanos();
		}

	}

}
