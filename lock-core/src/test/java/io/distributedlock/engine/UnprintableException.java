package io.distributedlock.engine;

/**
 * A failure that cannot tell its message, as one whose message is made of an object that
 * can no longer be read.
 */
final class UnprintableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	@Override
	public String getMessage() {
		throw new IllegalStateException("the session is closed");
	}

}
