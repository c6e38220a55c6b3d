package io.distributedlock.sample.wechat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.sample.DemoClock;
import org.jspecify.annotations.Nullable;

/**
 * The rule that makes the trouble: there is one valid token, and a new one kills it.
 */
public final class TokenIssuer {

	/**
	 * How long a token lives, as the API says.
	 */
	public static final Duration LIFETIME = Duration.ofHours(2);

	private static final double YOUNG = 0.5;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile @Nullable Issued current;

	private final AtomicLong issued = new AtomicLong();

	private final AtomicLong killedYoung = new AtomicLong();

	String issue() {
		Issued fresh = new Issued(UUID.randomUUID().toString().replace("-", ""), System.nanoTime());
		this.lock.lock();
		try {
			Issued killed = this.current;
			this.current = fresh;
			this.issued.incrementAndGet();
			if (killed != null && killed.isYoung()) {
				this.killedYoung.incrementAndGet();
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
	 * Start anew without a token.
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
	 * Return how many tokens were killed in the first half of their life.
	 * @return the count since the start
	 */
	public long killedYoung() {
		return this.killedYoung.get();
	}

	private record Issued(String token, long issuedAt) {

		boolean isExpired() {
			return age() >= 1;
		}

		boolean isYoung() {
			return age() < YOUNG;
		}

		private double age() {
			return (double) (System.nanoTime() - this.issuedAt) / DemoClock.real(LIFETIME).toNanos();
		}

	}

}
