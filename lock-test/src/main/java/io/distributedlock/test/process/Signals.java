package io.distributedlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends signals to processes, for which {@link Process} has no method.
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
		send(process.pid(), signal);
	}

	/**
	 * Send a signal to a process and then to all processes that it has started. Some
	 * databases have a process for each connection.
	 * @param process the process to signal
	 * @param signal the name, such as {@code STOP} or {@code CONT}
	 */
	public static void sendToAll(ProcessHandle process, String signal) {
		send(process.pid(), signal);
		// a process that has ended meanwhile needs no signal
		process.descendants().filter(ProcessHandle::isAlive).forEach((child) -> {
			if (run(child.pid(), signal) != 0 && child.isAlive()) {
				throw new IllegalStateException("kill -%s %d failed".formatted(signal, child.pid()));
			}
		});
	}

	private static void send(long pid, String signal) {
		int status = run(pid, signal);
		if (status != 0) {
			throw new IllegalStateException("kill -%s %d ended with %d".formatted(signal, pid, status));
		}
	}

	private static int run(long pid, String signal) {
		try {
			return new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start().waitFor();
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
