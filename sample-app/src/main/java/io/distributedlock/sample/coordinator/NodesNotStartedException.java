package io.distributedlock.sample.coordinator;

import java.time.Duration;

/**
 * The nodes have not become ready, so the demonstration ends.
 */
class NodesNotStartedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	NodesNotStartedException(Duration waited) {
		super("The nodes have not started within %s minutes. Their output above says why"
			.formatted(waited.toMinutes()));
	}

}
