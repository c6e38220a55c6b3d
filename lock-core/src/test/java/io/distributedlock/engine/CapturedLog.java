package io.distributedlock.engine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What is logged until it is closed.
 */
final class CapturedLog implements AutoCloseable {

	private final ByteArrayOutputStream text = new ByteArrayOutputStream();

	private final PrintStream before = System.err;

	CapturedLog() {
		System.setErr(new PrintStream(this.text, true, StandardCharsets.UTF_8));
	}

	String text() {
		return this.text.toString(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		System.setErr(this.before);
	}

}
