package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The requests for another term that a backend may carry out after one that was sent
 * later: with connections of a pool they overtake each other, and one for a shorter term
 * cuts a longer one short. A request may be carried out until its answer comes. So nobody
 * may rely on more than what it asks for, counted from the term at hand or from itself if
 * it was sent later, until there is a term that was asked for after that answer, or after
 * the time by which a request is carried out or never.
 */
final class OpenRequests {

	/**
	 * A request that has not been carried out after so many command time-outs never is.
	 */
	private static final int COMMAND_TIMEOUTS = 10;

	/**
	 * What was sent before a network was parted arrives when it is whole again, also on a
	 * connection that was closed meanwhile. Systems send again for about 15 minutes
	 * (tcp_retries2 of Linux).
	 */
	private static final long LONGEST_ON_THE_WAY_NANOS = Duration.ofMinutes(30).toNanos();

	private static final int MOST_OLD = 16;

	private final List<Request> open = new CopyOnWriteArrayList<>();

	private final long lifeNanos;

	OpenRequests(long commandTimeoutNanos) {
		this.lifeNanos = Math.max(LONGEST_ON_THE_WAY_NANOS,
				Math.min(commandTimeoutNanos, Long.MAX_VALUE / 4 / COMMAND_TIMEOUTS) * COMMAND_TIMEOUTS);
	}

	/**
	 * Note a request that is about to be sent.
	 * @param now the time
	 * @param leaseTime what it asks for, for the holder
	 * @param term the term at hand
	 */
	Request sent(long now, Duration leaseTime, LeaseTerm term) {
		this.open.removeIf((request) -> isSettledBefore(term, request));
		mergeOld(term);
		Request request = new Request(now, leaseTime);
		this.open.add(request);
		return request;
	}

	/**
	 * Note that a request will not be sent after all.
	 */
	void withdrawn(Request request) {
		this.open.remove(request);
	}

	/**
	 * Return how many are remembered.
	 */
	int size() {
		return this.open.size();
	}

	/**
	 * Return what is left of a term in the worst case.
	 */
	LeaseTerm sureOf(LeaseTerm term) {
		LeaseTerm sure = term;
		for (Request request : this.open) {
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
	 * Return whether a term was asked for when nothing could come of a request any more,
	 * or is what came of it.
	 */
	private boolean isSettledBefore(LeaseTerm term, Request request) {
		Answer answer = request.answer;
		long settledNanos = (answer != null) ? answer.nanos : request.sentNanos + this.lifeNanos;
		return (answer != null && answer.term.equals(term)) || term.startNanos() - settledNanos >= 0;
	}

	/**
	 * Let one request stand for those without an answer if a backend leaves many so: it
	 * cuts as short as the shortest and for as long as the last of them, and is never
	 * answered. Those that were sent after the term cut by their own time.
	 */
	private void mergeOld(LeaseTerm term) {
		List<Request> old = this.open.stream()
			.filter((request) -> request.answer == null && request.sentNanos - term.startNanos() <= 0)
			.toList();
		if (old.size() > MOST_OLD) {
			Request all = old.get(0);
			for (Request each : old) {
				all = new Request((each.sentNanos - all.sentNanos > 0) ? each.sentNanos : all.sentNanos,
						(each.leaseTime.compareTo(all.leaseTime) < 0) ? each.leaseTime : all.leaseTime);
			}
			// first, as nobody may rely on more meanwhile
			this.open.add(all);
			this.open.removeAll(old);
		}
	}

	/**
	 * A request for another term. Requests are told apart by identity.
	 */
	static final class Request {

		private final long sentNanos;

		private final Duration leaseTime;

		private volatile @Nullable Answer answer;

		private Request(long sentNanos, Duration leaseTime) {
			this.sentNanos = sentNanos;
			this.leaseTime = leaseTime;
		}

		/**
		 * Note what the backend has granted.
		 */
		void answered(long now, LeaseTerm granted) {
			this.answer = new Answer(now, granted);
		}

	}

	private record Answer(long nanos, LeaseTerm term) {
	}

}
