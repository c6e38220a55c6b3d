package io.distributedlock.redis.internal.client;

import java.time.Duration;

/**
 * How long a server has not answered commands. No lock guards the fields: two threads
 * that send at the same time may shift a time by the little that lies between them.
 * <p>
 * Why: docs/decisions/032-silent-connections.md
 */
public final class UnansweredTime {

	/**
	 * The least age of the last answer. With a shorter command time-out, one slow command
	 * would be enough to doubt a server that answers others.
	 */
	private static final long LEAST_NANOS = Duration.ofSeconds(1).toNanos();

	private final long patienceNanos;

	private volatile long answeredAt = System.nanoTime();

	/**
	 * When the first command after the last answer was sent.
	 */
	private volatile long askedAt = this.answeredAt;

	private volatile boolean asked;

	/**
	 * Create the state of a server that has just answered.
	 * @param patience how long to wait for an answer. A client may give up a command
	 * sooner: that alone is no silence
	 */
	public UnansweredTime(Duration patience) {
		this.patienceNanos = patience.toNanos();
	}

	/**
	 * Note that a command is sent.
	 * @return when
	 */
	public long ask() {
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
	public void end() {
		this.answeredAt = System.nanoTime();
		this.asked = false;
	}

	/**
	 * Return whether a command without an answer is a reason to replace the connection.
	 * The age of the last answer alone is none, as an idle connection has no answers
	 * either: what counts is the time since a command was sent.
	 * @param ownAskedAt when the command without an answer was sent
	 */
	public boolean isDoubtful(long ownAskedAt) {
		long now = System.nanoTime();
		long unanswered = now - ownAskedAt;
		if (this.asked) {
			unanswered = Math.max(unanswered, now - this.askedAt);
		}
		return now - this.answeredAt >= LEAST_NANOS && unanswered >= this.patienceNanos;
	}

}
