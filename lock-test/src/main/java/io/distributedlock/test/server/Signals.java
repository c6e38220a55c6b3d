package io.distributedlock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends signals that {@link Process} has no method for.
 *
 * @since 0.1
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Send a signal.
	 * @param process the process to signal
	 * @param signal the name, such as {@code STOP} or {@code CONT}
	 */
	public static void send(Process process, String signal) {
		try {
			int status = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO()
				.start()
				.waitFor();
			if (status != 0) {
				throw new IllegalStateException("kill -%s %d ended with %d".formatted(signal, process.pid(), status));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
