package io.distributedlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;

/**
 * Sends signals to processes, for which {@link Process} has no method. After {@code STOP}
 * the process has stopped: on a busy machine its threads would go on for a moment.
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
			int status = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start().waitFor();
			if (status == 0 && signal.equals("STOP")) {
				Awaitility.await("stop of process " + pid)
					.atMost(Duration.ofMinutes(1))
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> isStopped(pid));
			}
			return status;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return whether no thread of a process runs any more. Only Linux tells that.
	 */
	private static boolean isStopped(long pid) {
		Path threads = Path.of("/proc", Long.toString(pid), "task");
		if (!Files.isDirectory(threads)) {
			return true;
		}
		try (DirectoryStream<Path> found = Files.newDirectoryStream(threads)) {
			for (Path thread : found) {
				// "1234 (name) T 1 …", and the name may contain parentheses
				String state = Files.readString(thread.resolve("stat"));
				if (!state.startsWith("T", state.lastIndexOf(')') + 2)) {
					return false;
				}
			}
			return true;
		}
		catch (IOException ex) {
			// a thread has ended meanwhile
			return false;
		}
	}

}
