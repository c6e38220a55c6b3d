package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The times of one lease: until when it runs, when to renew it, and when to warn of its
 * end. An answer counts as far as no other request can shorten what it has brought: the
 * last one, which may be carried out after it, and for half an hour any one without an
 * answer.
 * <p>
 * Why: docs/decisions/009-lease-and-term.md, docs/decisions/010-open-requests.md
 */
public final class LeaseClock {

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<LeaseClock, List> WATCHES = AtomicReferenceFieldUpdater
		.newUpdater(LeaseClock.class, List.class, "watches");

	private static final AtomicReferenceFieldUpdater<LeaseClock, @Nullable Unanswered> UNANSWERED = AtomicReferenceFieldUpdater
		.newUpdater(LeaseClock.class, Unanswered.class, "unanswered");

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

	/**
	 * A request that was sent before a network partition may arrive after it, even on a
	 * connection that was closed meanwhile. Operating systems send again for about 15
	 * minutes (tcp_retries2 of Linux); this is twice that.
	 */
	private static final long LONGEST_ON_THE_WAY_NANOS = Duration.ofMinutes(30).toNanos();

	private final LockAttempt attempt;

	/**
	 * Replaced and never changed. Nearly always empty.
	 */
	private volatile List<ExpiryWatch> watches = List.of();

	/**
	 * The end of a lease that is not auto-renewed, and before which no lease ends that
	 * was extended.
	 */
	private volatile long ceilingNanos;

	private volatile LeaseTerm term;

	private volatile long renewAtNanos;

	/**
	 * The last request, which may be carried out after those before it.
	 */
	private volatile Request last = Request.NONE_YET;

	private volatile @Nullable Unanswered unanswered;

	private LeaseClock(LockAttempt attempt, LeaseTerm usable, long ceilingNanos) {
		this.attempt = attempt;
		this.term = usable;
		this.ceilingNanos = ceilingNanos;
		this.renewAtNanos = dueNanos(usable);
	}

	/**
	 * Create the clock of a lease that the backend has granted.
	 * @param granted its first term. If it is shorter than requested, as that of a grant
	 * that the owner has yet to confirm by a renewal, the holder's time begins now
	 */
	static LeaseClock of(LockAttempt attempt, LeaseTerm granted, long now) {
		LeaseTerm usable = attempt.usable(granted);
		long ceiling = attempt.beganNanos(granted, now) + attempt.leaseTime().toNanos();
		LeaseClock clock = new LeaseClock(attempt, usable, ceiling);
		if (usable.granted().compareTo(attempt.holdAtLeast()) < 0) {
			// so that the minimum is kept even if this JVM ends
			clock.renewAtNanos = now;
		}
		return clock;
	}

	/**
	 * Return a clock for the next holder of the same lease, whose time begins now.
	 */
	LeaseClock passedOn(LockAttempt next, long now) {
		return new LeaseClock(next, this.term, now + next.leaseTime().toNanos());
	}

	LeaseTerm term() {
		return this.term;
	}

	/**
	 * Return whether no request without an answer can still be carried out.
	 */
	boolean isSettled(long now) {
		Unanswered open = this.unanswered;
		return open == null || !open.mayArrive(now);
	}

	Duration granted() {
		return this.term.granted();
	}

	long deadlineNanos() {
		return this.term.deadlineNanos();
	}

	/**
	 * Return for how long to renew: the lease then ends no earlier than before.
	 */
	Duration lengthToKeep(long now) {
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
		for (ExpiryWatch watch : this.watches) {
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
	 * Note that a renewal begins. If no answer comes, the next renewal is sent while
	 * there is still time for it; an answer sets that time anew.
	 */
	void renewalBegun(long now) {
		this.renewAtNanos = now + Math.max(Math.min(deadlineNanos() - now, usualLength()) / 3, retryDelay());
	}

	/**
	 * Note a request that is about to be sent.
	 * @param leaseTime the length that it asks for, for the holder
	 */
	Request sent(long now, Duration leaseTime) {
		Request request = new Request(now, leaseTime);
		this.last = request;
		return request;
	}

	/**
	 * Set the term that a request brought. A lease whose local deadline has passed stays
	 * ended. An answer that comes late counts only if the lease does not end before, now
	 * that the last request is carried out.
	 */
	void renewed(LeaseTerm granted, long now, Request request) {
		LeaseTerm usable = this.attempt.usable(granted);
		Unanswered open = this.unanswered;
		LeaseTerm newTerm = (open == null) ? usable
				: new LeaseTerm(usable.startNanos(), open.atMost(usable.granted(), now));
		boolean isNewer = newTerm.startNanos() - this.term.startNanos() > 0;
		boolean lasts = request.equals(this.last) || endNanos(newTerm) - this.last.endNanos() <= 0;
		if (isNewer && lasts && deadlineNanos() - now > 0) {
			this.term = newTerm;
		}
		// after a pause, also if the term began long ago
		this.renewAtNanos = now + Math.max(dueNanos(this.term) - now, retryDelay());
	}

	/**
	 * Set the term that an extension brought. It also moves the end of a lease that is
	 * not auto-renewed.
	 */
	void extended(LeaseTerm granted, long now, Request request) {
		long end = granted.startNanos() + request.leaseTime.toNanos();
		if (end - this.ceilingNanos > 0) {
			this.ceilingNanos = end;
		}
		renewed(granted, now, request);
	}

	/**
	 * Note that a request has failed, or has no answer in time: the backend may have
	 * carried it out, or carry it out later.
	 */
	void unanswered(Request request, long now) {
		UNANSWERED.updateAndGet(this, (before) -> new Unanswered(now + LONGEST_ON_THE_WAY_NANOS,
				(before != null) ? before.atMost(request.leaseTime, now) : request.leaseTime));
	}

	/**
	 * Try again after a while.
	 */
	void renewalFailed(long now) {
		this.renewAtNanos = now + retryDelay();
	}

	private long retryDelay() {
		return Math.min(usualLength() / RETRIES_PER_LEASE, 1_000_000_000L);
	}

	void watch(ExpiryWatch watch) {
		changeWatches((before) -> Stream.concat(before.stream(), Stream.of(watch)).toList());
	}

	void unwatch(AtomicBoolean closed) {
		if (!this.watches.isEmpty()) {
			changeWatches((before) -> before.stream().filter((each) -> each.closed() != closed).toList());
		}
	}

	@SuppressWarnings("unchecked")
	private void changeWatches(UnaryOperator<List<ExpiryWatch>> change) {
		WATCHES.updateAndGet(this, (before) -> change.apply(before));
	}

	/**
	 * Return the callbacks to call now.
	 */
	List<ExpiryWatch> dueWatches(long now) {
		long deadline = deadlineNanos();
		long margin = longestMargin();
		return this.watches.stream()
			.filter((watch) -> watch.dueNanos(deadline, margin) - now <= 0 && watch.disarm(deadline))
			.toList();
	}

	/**
	 * Return how long before the deadline to warn at most. A term that is shorter than
	 * the caller asked for, as that of a grant that is yet to be confirmed, is renewed
	 * after a third. Its end is worth a warning only if that fails.
	 */
	private long longestMargin() {
		long granted = this.term.granted().toNanos();
		return (granted < this.attempt.leaseTime().toNanos() && isRenewable()) ? granted / 2 : Long.MAX_VALUE;
	}

	private long usualLength() {
		return Math.min(this.term.granted().toNanos(), this.attempt.leaseTime().toNanos());
	}

	private long batchWindowNanos() {
		return Math.max(1, Math.min(MAX_BATCH_WINDOW_NANOS, usualLength() / (2 * RETRIES_PER_LEASE)));
	}

	/**
	 * Return whether a renewal can bring more time. It can if the lease is auto-renewed.
	 * It can too if the backend has granted less than the requested lease time.
	 */
	private boolean isRenewable() {
		return this.attempt.autoRenewed() || endNanos(this.term) - this.ceilingNanos < 0;
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

	private static long endNanos(LeaseTerm term) {
		return term.startNanos() + term.granted().toNanos();
	}

	/**
	 * A request for another term.
	 */
	record Request(long sentNanos, Duration leaseTime) {

		private static final Request NONE_YET = new Request(0, Duration.ZERO);

		private long endNanos() {
			return this.sentNanos + this.leaseTime.toNanos();
		}

	}

	/**
	 * What is known of the requests without an answer.
	 *
	 * @param untilNanos how long one of them may still be carried out
	 * @param shortest the shortest length that they ask for
	 */
	private record Unanswered(long untilNanos, Duration shortest) {

		private boolean mayArrive(long now) {
			return this.untilNanos - now > 0;
		}

		/**
		 * Return on which part of a length the holder may rely: a request for less may be
		 * carried out after the one that brought it.
		 */
		private Duration atMost(Duration leaseTime, long now) {
			return (mayArrive(now) && this.shortest.compareTo(leaseTime) < 0) ? this.shortest : leaseTime;
		}

	}

}
