package io.distributedlock.redis;

import java.time.Duration;

/**
 * For how long a server has not answered what it was asked. Threads that ask at the same
 * moment may move that by as much: nothing is locked for it.
 */
final class Silence {

	/**
	 * How old the last answer is at least, so that a short command time-out alone doubts
	 * nobody who answers others.
	 */
	private static final long LEAST_NANOS = Duration.ofSeconds(1).toNanos();

	private final long patienceNanos;

	private volatile long answeredAt = System.nanoTime();

	/**
	 * When the first question after the last answer was asked.
	 */
	private volatile long askedAt = this.answeredAt;

	private volatile boolean asked;

	/**
	 * Create one.
	 * @param patience how long to wait for an answer. A client may give a question up
	 * sooner: that alone is no silence
	 */
	Silence(Duration patience) {
		this.patienceNanos = patience.toNanos();
	}

	/**
	 * Note a question.
	 * @return when it was asked
	 */
	long ask() {
		long now = System.nanoTime();
		if (!this.asked) {
			this.askedAt = now;
			this.asked = true;
		}
		return now;
	}

	/**
	 * Note an answer.
	 */
	void end() {
		this.answeredAt = System.nanoTime();
		this.asked = false;
	}

	/**
	 * Return whether the server is doubted by one who was not answered. An idle
	 * connection was not answered for long either: what counts is the time since a
	 * question.
	 * @param ownAskedAt when the one who was not answered has asked
	 */
	boolean isDoubtful(long ownAskedAt) {
		long now = System.nanoTime();
		long unanswered = now - ownAskedAt;
		if (this.asked) {
			unanswered = Math.max(unanswered, now - this.askedAt);
		}
		return now - this.answeredAt >= LEAST_NANOS && unanswered >= this.patienceNanos;
	}

}
