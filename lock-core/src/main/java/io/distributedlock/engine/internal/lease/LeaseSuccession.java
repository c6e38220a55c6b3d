package io.distributedlock.engine.internal.lease;

import java.util.Objects;
import java.util.OptionalLong;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The time for which this JVM has one lease. Its callers may have it one after the other,
 * each with a fencing token of its own. Thread-safe.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 */
final class LeaseSuccession implements Lease.LossSignal {

	private final Lease lease;

	/**
	 * Asked for once, before anybody has the lease.
	 */
	private final OptionalLong firstToken;

	private final long beganNanos;

	/**
	 * The first term if the backend has granted less than was asked for, as it does when
	 * it grants by itself.
	 */
	private final @Nullable LeaseTerm shortGrant;

	private final Passage passage;

	private volatile @Nullable HeldLock holder;

	private volatile @Nullable String loss;

	LeaseSuccession(Lease lease, @Nullable LeaseTerm shortGrant, long beganNanos, Passage passage) {
		this.lease = lease;
		this.firstToken = Objects.requireNonNull(lease.fencingToken(), "the provider returned null instead of a token");
		this.shortGrant = shortGrant;
		this.beganNanos = beganNanos;
		this.passage = passage;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Return whether a term is the one that the backend has granted by itself, and that
	 * no renewal has lengthened yet.
	 */
	boolean isUnconfirmedGrant(LeaseTerm term) {
		return this.shortGrant != null && this.shortGrant.startNanos() == term.startNanos();
	}

	Passage passage() {
		return this.passage;
	}

	/**
	 * Return when this JVM got the lease.
	 */
	long beganNanos() {
		return this.beganNanos;
	}

	/**
	 * Return the fencing token of a holder.
	 * @param index how many callers have had the lease before it
	 */
	OptionalLong fencingToken(int index) {
		OptionalLong first = this.firstToken;
		return (index == 0 || first.isEmpty()) ? first : OptionalLong.of(first.getAsLong() + index);
	}

	/**
	 * Note who has the lease from now on.
	 */
	void begin(HeldLock next) {
		this.holder = next;
		String reason = this.loss;
		if (reason != null) {
			// reported while the lease passed from one to the other
			next.keeper().lose(next, reason);
		}
	}

	@Override
	public void lost(@Nullable String reported) {
		String reason = (reported != null) ? reported : "the backend has reported its loss";
		this.loss = reason;
		HeldLock current = this.holder;
		if (current != null) {
			current.keeper().lose(current, reason);
		}
	}

}
