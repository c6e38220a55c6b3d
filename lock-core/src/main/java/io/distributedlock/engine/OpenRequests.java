package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.spi.LeaseTerm;

/**
 * What a backend was asked for and has not answered. It may have acted on such a request,
 * or may do so later, after one that was sent later: with connections of a pool they
 * overtake each other. A request for a shorter term then cuts a longer one short. So as
 * long as one is open nobody may rely on more than what it asks for, counted from the
 * last request that was answered, or from itself if it was sent later.
 */
final class OpenRequests {

	/**
	 * A request that has not been acted on for so many command time-outs never will be.
	 */
	private static final int COMMAND_TIMEOUTS = 10;

	private final List<Request> open = new CopyOnWriteArrayList<>();

	private final long lifeNanos;

	OpenRequests(long commandTimeoutNanos) {
		this.lifeNanos = Math.min(commandTimeoutNanos, Long.MAX_VALUE / 4 / COMMAND_TIMEOUTS) * COMMAND_TIMEOUTS;
	}

	/**
	 * Note a request that is about to be sent.
	 * @param now the time
	 * @param leaseTime what it asks for, for the holder
	 */
	Request sent(long now, Duration leaseTime) {
		this.open.removeIf((request) -> now - request.sentNanos - this.lifeNanos > 0);
		Request request = new Request(now, leaseTime);
		this.open.add(request);
		return request;
	}

	/**
	 * Note that the backend has said what it made of a request.
	 */
	void answered(Request request) {
		this.open.remove(request);
	}

	/**
	 * Return what is left of a term in the worst case.
	 */
	LeaseTerm sureOf(LeaseTerm term) {
		LeaseTerm sure = term;
		for (Request request : this.open) {
			boolean later = request.sentNanos - term.startNanos() > 0;
			LeaseTerm cut = new LeaseTerm(later ? request.sentNanos : term.startNanos(), request.leaseTime);
			if (cut.deadlineNanos() - sure.deadlineNanos() < 0) {
				sure = cut;
			}
		}
		return sure;
	}

	/**
	 * A request for another term. Requests are told apart by identity.
	 */
	static final class Request {

		private final long sentNanos;

		private final Duration leaseTime;

		private Request(long sentNanos, Duration leaseTime) {
			this.sentNanos = sentNanos;
			this.leaseTime = leaseTime;
		}

	}

}
