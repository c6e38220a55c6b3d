package io.distributedlock.engine.internal.runtime;

import java.time.Duration;

import io.distributedlock.spi.BackendException;

/**
 * A backend did not answer within the command time-out. It may have carried out the
 * command.
 */
public final class NoAnswerException extends BackendException {

	private static final long serialVersionUID = 1L;

	private final Duration commandTimeout;

	NoAnswerException(Duration commandTimeout) {
		super("no answer within the command time-out of " + LockTimes.text(commandTimeout), true, null);
		this.commandTimeout = commandTimeout;
	}

	public Duration commandTimeout() {
		return this.commandTimeout;
	}

}
