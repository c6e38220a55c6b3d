package io.distributedlock.spi.support;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Lets one question to a backend be under way at a time. Two things cause a question. A
 * poll comes at intervals: while a question is under way it is ignored, as the answer to
 * that is as good. A signal tells of a change on the backend: the backend may have
 * answered before that change, so a signal that comes while a question is under way
 * causes one more. Thread-safe; blocks nobody.
 *
 * @since 0.1
 */
public final class QuestionState {

	private static final AtomicReferenceFieldUpdater<QuestionState, State> STATE = AtomicReferenceFieldUpdater
		.newUpdater(QuestionState.class, State.class, "state");

	@SuppressWarnings("UnusedVariable")
	private volatile State state = State.IDLE;

	/**
	 * Create a state in which no question is under way.
	 */
	public QuestionState() {
	}

	/**
	 * Begin a question.
	 * @return {@code false} if one is under way, and none may be asked now
	 */
	public boolean begin() {
		return STATE.compareAndSet(this, State.IDLE, State.UNDER_WAY);
	}

	/**
	 * Note a signal.
	 * @return {@code true} if no question is under way, so that the caller asks one;
	 * {@code false} if {@link #end()} will demand it
	 */
	public boolean signal() {
		return STATE.updateAndGet(this, (now) -> (now == State.IDLE) ? now : State.SIGNALLED) == State.IDLE;
	}

	/**
	 * End a question, once its answer has been dealt with.
	 * @return {@code true} if a signal came since it began, so that the caller asks again
	 */
	public boolean end() {
		return STATE.getAndSet(this, State.IDLE) == State.SIGNALLED;
	}

	private enum State {

		IDLE, UNDER_WAY, SIGNALLED

	}

}
