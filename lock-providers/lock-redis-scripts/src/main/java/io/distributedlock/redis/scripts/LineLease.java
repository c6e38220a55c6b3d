package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of one owner, who has the key alone.
 */
final class LineLease implements Lease {

	private final ExclusiveLocks locks;

	private final String key;

	private final String number;

	private final Grant grant;

	private final LeaseTerm term;

	private final AtomicReference<@Nullable Runnable> afterRelease = new AtomicReference<>();

	private volatile @Nullable CompletionStage<Boolean> release;

	LineLease(ExclusiveLocks locks, String key, String number, Grant grant, LeaseTerm term) {
		this.locks = locks;
		this.key = key;
		this.number = number;
		this.grant = grant;
		this.term = term;
	}

	String key() {
		return this.key;
	}

	String number() {
		return this.number;
	}

	Grant grant() {
		return this.grant;
	}

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.grant.token());
	}

	@Override
	public int fencingTokens() {
		return this.grant.tokens();
	}

	@Override
	public boolean isAwaited() {
		return this.locks.isAwaited(this);
	}

	@Override
	public Optional<String> ownerId() {
		return Optional.of(this.locks.owner(this.number));
	}

	@Override
	public LeaseTerm term() {
		return this.term;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.locks.renew(this, leaseTime);
	}

	/**
	 * Set what is to be done after the release, which may have begun.
	 */
	void afterRelease(Runnable step) {
		this.afterRelease.set(step);
		CompletionStage<Boolean> begun = this.release;
		if (begun != null) {
			follow(begun);
		}
	}

	@Override
	public CompletionStage<Boolean> release() {
		CompletionStage<Boolean> begun = this.locks.release(this);
		this.release = begun;
		return follow(begun);
	}

	private CompletionStage<Boolean> follow(CompletionStage<Boolean> begun) {
		Runnable step = this.afterRelease.getAndSet(null);
		return (step == null) ? begun : begun.whenComplete((had, failure) -> step.run());
	}

	@Override
	public String toString() {
		return "LineLease[key=%s, token=%s]".formatted(this.key, this.grant.token());
	}

	/**
	 * What the server granted with a lease.
	 *
	 * @param token the first fencing token
	 * @param tokens how many tokens
	 * @param inARow how many grants in a row led to this one, 0 if the lock was free
	 * @param heardSince the subscription during which the server said that nobody waits,
	 * 0 if it did not say that
	 * @param interopMillis how often code of another library may ask, 0 if there is none
	 */
	record Grant(long token, int tokens, int inARow, int heardSince, long interopMillis) {

		/**
		 * Return what a release tells of the grant.
		 */
		String forRelease() {
			return (this.interopMillis > 0) ? this.inARow + " " + this.interopMillis : Integer.toString(this.inARow);
		}

	}

}
