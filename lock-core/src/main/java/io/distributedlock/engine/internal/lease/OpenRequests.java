package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.List;

import io.distributedlock.engine.internal.runtime.FewItems;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The requests for another term that the backend may still carry out. Requests on
 * different connections of a pool may arrive in another order than they were sent, and
 * one for a shorter term then shortens a longer one. A request without an answer may be
 * carried out at any time. So as long as it is open, the holder relies on no more than
 * the length that it asks for, counted from the present term or, if it was sent after
 * that, from when it was sent. A request is settled once a term was requested after its
 * answer, or after the time in which it can still arrive.
 * <p>
 * Why: docs/decisions/010-open-requests.md
 */
final class OpenRequests {

	/**
	 * A request that was not carried out after so many command time-outs never will be.
	 */
	private static final int COMMAND_TIMEOUTS = 10;

	/**
	 * A request that was sent before a network partition may arrive after it, even on a
	 * connection that was closed meanwhile. Operating systems send again for about 15
	 * minutes (tcp_retries2 of Linux); this is twice that.
	 */
	private static final long LONGEST_ON_THE_WAY_NANOS = Duration.ofMinutes(30).toNanos();

	/**
	 * If more requests than this have no answer, they are merged: a backend that answers
	 * none of them must not use up memory.
	 */
	private static final int MOST_OLD = 16;

	private final FewItems<Request> open = new FewItems<>();

	private final long lifeNanos;

	OpenRequests(long commandTimeoutNanos) {
		this.lifeNanos = Math.max(LONGEST_ON_THE_WAY_NANOS,
				Math.min(commandTimeoutNanos, Long.MAX_VALUE / 4 / COMMAND_TIMEOUTS) * COMMAND_TIMEOUTS);
	}

	/**
	 * Note a request that is about to be sent.
	 * @param now the time
	 * @param leaseTime the length that it asks for, for the holder
	 * @param term the present term
	 */
	Request sent(long now, Duration leaseTime, LeaseTerm term) {
		this.open.removeIf((request) -> isSettledBefore(term, request));
		mergeOld(term);
		Request request = new Request(now, leaseTime);
		this.open.add(request);
		return request;
	}

	/**
	 * Note that a request was not sent.
	 */
	void withdrawn(Request request) {
		this.open.remove(request);
	}

	/**
	 * Return how many requests are remembered.
	 */
	int size() {
		return this.open.now().size();
	}

	/**
	 * Return the part of a term on which the holder may rely in the worst case.
	 */
	LeaseTerm sureOf(LeaseTerm term) {
		List<Request> requests = this.open.now();
		if (requests.isEmpty()) {
			return term;
		}
		LeaseTerm sure = term;
		for (Request request : requests) {
			if (isSettledBefore(term, request)) {
				continue;
			}
			boolean later = request.sentNanos - term.startNanos() > 0;
			LeaseTerm cut = new LeaseTerm(later ? request.sentNanos : term.startNanos(), request.leaseTime);
			if (cut.deadlineNanos() - sure.deadlineNanos() < 0) {
				sure = cut;
			}
		}
		return sure;
	}

	/**
	 * Return whether no request can shorten a term any more.
	 */
	boolean areSettledBefore(LeaseTerm term) {
		for (Request request : this.open.now()) {
			if (!isSettledBefore(term, request)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Return whether a request cannot shorten a term any more: the term was requested
	 * after the request was settled, or is the answer to it.
	 */
	private boolean isSettledBefore(LeaseTerm term, Request request) {
		Answer answer = request.answer;
		long settledNanos = (answer != null) ? answer.nanos : request.sentNanos + this.lifeNanos;
		return (answer != null && answer.term.equals(term)) || term.startNanos() - settledNanos >= 0;
	}

	/**
	 * Replace many requests without an answer by one, if a backend leaves many without an
	 * answer: with the shortest of their lengths and the latest of their times. Requests
	 * that were sent after the term are not merged, as each counts from its own time.
	 */
	private void mergeOld(LeaseTerm term) {
		List<Request> old = this.open.now()
			.stream()
			.filter((request) -> request.answer == null && request.sentNanos - term.startNanos() <= 0)
			.toList();
		if (old.size() > MOST_OLD) {
			Request all = old.get(0);
			for (Request each : old) {
				all = new Request((each.sentNanos - all.sentNanos > 0) ? each.sentNanos : all.sentNanos,
						(each.leaseTime.compareTo(all.leaseTime) < 0) ? each.leaseTime : all.leaseTime);
			}
			// added first: in between nobody may rely on more
			this.open.add(all);
			this.open.removeIf(old::contains);
		}
	}

	/**
	 * A request for another term. Two requests are never equal.
	 */
	static final class Request {

		private final long sentNanos;

		private final Duration leaseTime;

		private volatile @Nullable Answer answer;

		private Request(long sentNanos, Duration leaseTime) {
			this.sentNanos = sentNanos;
			this.leaseTime = leaseTime;
		}

		long sentNanos() {
			return this.sentNanos;
		}

		/**
		 * Note the answer of the backend.
		 */
		void answered(long now, LeaseTerm granted) {
			this.answer = new Answer(now, granted);
		}

	}

	private record Answer(long nanos, LeaseTerm term) {
	}

}
