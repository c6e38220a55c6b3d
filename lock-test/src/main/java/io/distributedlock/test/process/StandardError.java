package io.distributedlock.test.process;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What this JVM writes to its standard error, where its log is, while this is open. Not
 * for tests that run beside others in one JVM.
 *
 * @since 0.1
 */
public final class StandardError implements AutoCloseable {

	private final PrintStream before = System.err;

	private final ByteArrayOutputStream written = new ByteArrayOutputStream();

	/**
	 * Begin.
	 */
	public StandardError() {
		System.setErr(new PrintStream(this.written, true, StandardCharsets.UTF_8));
	}

	/**
	 * Return what was written so far.
	 * @return the text
	 */
	public String text() {
		return this.written.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		System.setErr(this.before);
	}

}
