package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.List;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.FewItems;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.LeaseTerm;

/**
 * The times of one lease: until when it runs, when to renew it, and when to warn of its
 * end.
 * <p>
 * Why: docs/decisions/009-lease-and-term.md
 */
public final class LeaseClock {

	/**
	 * Renewals that are due within this time are sent together. It is short compared with
	 * any usual lease, so hardly any renewal comes noticeably early.
	 */
	private static final long MAX_BATCH_WINDOW_NANOS = 50_000_000;

	/**
	 * A failed renewal is tried again after a tenth of the lease. The first renewal comes
	 * after a third, so at least six more tries fit before the end.
	 */
	private static final int RETRIES_PER_LEASE = 10;

	private final LockAttempt attempt;

	private final FewItems<ExpiryWatch> watches = new FewItems<>();

	/**
	 * The end of a lease that is not auto-renewed.
	 */
	private volatile long ceilingNanos;

	private volatile LeaseTerm term;

	private final OpenRequests open;

	private volatile long renewAtNanos;

	private LeaseClock(LockAttempt attempt, LeaseTerm usable, long ceilingNanos, long commandTimeoutNanos) {
		this.attempt = attempt;
		this.open = new OpenRequests(commandTimeoutNanos);
		this.term = usable;
		this.ceilingNanos = ceilingNanos;
		this.renewAtNanos = dueNanos(usable);
	}

	/**
	 * Create the clock of a lease that the backend has granted.
	 * @param granted its first term. If it is shorter than requested, as that of a grant
	 * that the owner has yet to confirm by a renewal, the holder's time begins now
	 */
	static LeaseClock of(LockAttempt attempt, LeaseTerm granted, long now, long commandTimeoutNanos) {
		LeaseTerm usable = attempt.usable(granted);
		long ceiling = attempt.beganNanos(granted, now) + attempt.leaseTime().toNanos();
		LeaseClock clock = new LeaseClock(attempt, usable, ceiling, commandTimeoutNanos);
		if (usable.granted().compareTo(attempt.holdAtLeast()) < 0) {
			// so that the minimum is kept even if this JVM ends
			clock.renewAtNanos = now;
		}
		return clock;
	}

	/**
	 * Return a clock for the next holder of the same lease, whose time begins now.
	 */
	LeaseClock passedOn(LockAttempt next, long now, long commandTimeoutNanos) {
		return new LeaseClock(next, this.term, now + next.leaseTime().toNanos(), commandTimeoutNanos);
	}

	LeaseTerm term() {
		return this.term;
	}

	/**
	 * Return whether no request can shorten the term any more.
	 */
	boolean isSettled() {
		return this.open.areSettledBefore(this.term);
	}

	long startNanos() {
		return this.term.startNanos();
	}

	Duration granted() {
		return sure().granted();
	}

	long deadlineNanos() {
		return sure().deadlineNanos();
	}

	/**
	 * Return for how long to renew.
	 */
	Duration renewalTime(long now) {
		if (this.attempt.autoRenewed()) {
			return this.attempt.leaseOnBackend();
		}
		return lengthToKeep(now).plus(this.attempt.lockDelay());
	}

	/**
	 * Return a length with which the lease, renewed now, ends no earlier than before.
	 */
	public Duration lengthToKeep(long now) {
		Duration left = LockTimes.wholeMillis(Duration.ofNanos(Math.max(this.ceilingNanos - now, 1)));
		Duration usual = this.attempt.leaseTime();
		return (this.attempt.autoRenewed() && left.compareTo(usual) < 0) ? usual : left;
	}

	/**
	 * Return when the keeper must look at this lease again.
	 */
	long nextEventNanos() {
		long deadline = deadlineNanos();
		long next = deadline;
		if (isRenewable()) {
			// renewals that are due at about the same time are sent together
			long window = batchWindowNanos();
			long renewAt = Math.floorDiv(this.renewAtNanos, window) * window;
			next = (renewAt - deadline < 0) ? renewAt : deadline;
		}
		List<ExpiryWatch> known = this.watches.now();
		if (known.isEmpty()) {
			return next;
		}
		for (ExpiryWatch watch : known) {
			long due = watch.dueNanos(deadline, longestMargin());
			if (watch.isArmed(deadline) && due - next < 0) {
				next = due;
			}
		}
		return next;
	}

	/**
	 * Return whether to renew now, or so soon that the renewal is sent together with
	 * those that are due now. The window is shorter than the pause after a failure;
	 * otherwise there would be no pause.
	 */
	boolean isRenewalDue(long now) {
		return isRenewable() && this.renewAtNanos - now <= batchWindowNanos();
	}

	/**
	 * Note a renewal that is about to be sent. If no answer comes, the next renewal is
	 * sent while there is still time for it; an answer sets that time anew.
	 */
	OpenRequests.Request renewalSent(long now) {
		OpenRequests.Request request = this.open.sent(now, renewalTime(now).minus(this.attempt.lockDelay()), this.term);
		this.renewAtNanos = now + Math.max(Math.min(deadlineNanos() - now, sureLength()) / 3, retryDelay());
		return request;
	}

	/**
	 * Note that a renewal was not sent.
	 */
	void withdrawn(OpenRequests.Request request) {
		this.open.withdrawn(request);
	}

	/**
	 * Set the term that a renewal brought. A lease whose local deadline has passed stays
	 * ended.
	 */
	void renewed(LeaseTerm granted, long now, OpenRequests.Request request) {
		startAnew(this.attempt.usable(granted), now, request);
	}

	private void startAnew(LeaseTerm newTerm, long now, OpenRequests.Request request) {
		request.answered(now, newTerm);
		// answers may arrive in another order: the renewal that was sent last counts
		if (newTerm.startNanos() - this.term.startNanos() > 0 && deadlineNanos() - now > 0) {
			this.term = newTerm;
		}
		this.renewAtNanos = dueNanos(sure());
	}

	void renewalFailed(long now) {
		this.renewAtNanos = now + retryDelay();
	}

	private long retryDelay() {
		return Math.min(sureLength() / RETRIES_PER_LEASE, 1_000_000_000L);
	}

	/**
	 * Note an extension that is about to be sent.
	 */
	OpenRequests.Request extensionSent(long now, Duration leaseTime) {
		OpenRequests.Request request = this.open.sent(now, leaseTime, this.term);
		long due = dueNanos(sure());
		this.renewAtNanos = (due - this.renewAtNanos < 0) ? due : this.renewAtNanos;
		return request;
	}

	/**
	 * Set the term that an extension brought. It also moves the end of a lease that is
	 * not auto-renewed.
	 */
	void extended(LeaseTerm granted, Duration leaseTime, long now, OpenRequests.Request request) {
		LeaseTerm newTerm = this.attempt.usable(granted);
		this.ceilingNanos = newTerm.startNanos() + leaseTime.toNanos();
		startAnew(newTerm, now, request);
	}

	void watch(ExpiryWatch watch) {
		this.watches.add(watch);
	}

	void unwatch(ExpiryWatch watch) {
		this.watches.remove(watch);
	}

	/**
	 * Return the callbacks to call now.
	 */
	List<ExpiryWatch> dueWatches(long now) {
		if (this.watches.now().isEmpty()) {
			return List.of();
		}
		long deadline = deadlineNanos();
		long margin = longestMargin();
		return this.watches.now()
			.stream()
			.filter((watch) -> watch.dueNanos(deadline, margin) - now <= 0 && watch.disarm(deadline))
			.toList();
	}

	/**
	 * Return how long before the deadline to warn at most. A term that is shorter than
	 * the caller asked for, as that of a grant that is yet to be confirmed, is renewed
	 * after a third. Its end is worth a warning only if that fails.
	 */
	private long longestMargin() {
		long granted = sure().granted().toNanos();
		return (granted < this.attempt.leaseTime().toNanos() && isRenewable()) ? granted / 2 : Long.MAX_VALUE;
	}

	/**
	 * Return the term on which the holder may rely, whatever the backend does with
	 * requests that have no answer yet.
	 */
	private LeaseTerm sure() {
		return this.open.sureOf(this.term);
	}

	/**
	 * Return the usual length of the lease, or the length on which the holder may rely if
	 * that is less.
	 */
	private long sureLength() {
		return Math.min(sure().granted().toNanos(), this.attempt.leaseTime().toNanos());
	}

	private long batchWindowNanos() {
		return Math.max(1, Math.min(MAX_BATCH_WINDOW_NANOS, sureLength() / (2 * RETRIES_PER_LEASE)));
	}

	/**
	 * Return whether a renewal can bring more time. It can if the lease is auto-renewed.
	 * It can too if the backend has granted less than the requested lease time.
	 */
	private boolean isRenewable() {
		LeaseTerm sure = sure();
		return this.attempt.autoRenewed() || sure.startNanos() + sure.granted().toNanos() - this.ceilingNanos < 0;
	}

	/**
	 * Return when to renew: when a third of the granted term has passed; if the granted
	 * term is longer than usual, when two thirds of the usual length are left.
	 */
	private long dueNanos(LeaseTerm current) {
		long usual = this.attempt.leaseTime().toNanos();
		long granted = current.granted().toNanos();
		return current.startNanos() + ((granted > usual) ? granted - usual / 3 * 2 : granted / 3);
	}

}
