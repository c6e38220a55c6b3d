package io.distributedlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.test.patience.Patience;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Sends signals to processes, for which {@link Process} has no method. After {@code STOP}
 * the process has stopped: on a busy machine its threads would go on for a moment. If it
 * has not stopped after half a minute, it goes on again and the call fails.
 *
 * @since 0.1
 */
public final class Signals {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	/**
	 * The states of a thread that has ended. Its process remains, as a zombie, until its
	 * parent has asked for its end, which a stopped parent does not do.
	 */
	private static final String ENDED = "ZXx";

	private static final String STOPPED = "Tt" + ENDED;

	private Signals() {
	}

	/**
	 * Send a signal.
	 * @param process the process to signal
	 * @param signal the name, such as {@code STOP} or {@code CONT}
	 */
	public static void send(Process process, String signal) {
		send(process.toHandle(), signal);
	}

	/**
	 * Send a signal to a process and then to all processes that it has started. Some
	 * databases have a process for each connection. If one of them does not stop after
	 * {@code STOP}, all of them go on again. {@code CONT} does nothing to a process that
	 * has ended.
	 * @param process the process to signal
	 * @param signal the name, such as {@code STOP} or {@code CONT}
	 */
	public static void sendToAll(ProcessHandle process, String signal) {
		try {
			send(process, signal);
			// a process that has ended meanwhile needs no signal
			process.descendants().filter(ProcessHandle::isAlive).forEach((child) -> {
				if (run(child.pid(), signal) != 0 && child.isAlive()) {
					throw new IllegalStateException("kill -%s %s failed".formatted(signal, child.pid()));
				}
			});
		}
		catch (RuntimeException ex) {
			if (signal.equals("STOP")) {
				withDescendants(process).forEach((each) -> kill(each.pid(), "CONT"));
			}
			throw ex;
		}
	}

	/**
	 * End a process and all processes that it has started, as by {@code kill -9}, and
	 * wait until they have ended. They may be stopped. Does nothing if the process has
	 * ended already.
	 * @param process the process to end
	 * @throws IllegalStateException if one of them is still there after half a minute
	 */
	public static void killAll(ProcessHandle process) {
		if (!process.isAlive()) {
			return;
		}
		// so that it starts no further process meanwhile
		kill(process.pid(), "STOP");
		List<ProcessHandle> all = withDescendants(process);
		all.forEach(ProcessHandle::destroyForcibly);
		try {
			await("end of process " + process.pid(), () -> all.stream().allMatch(Signals::hasEnded));
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException("Still there after kill -KILL: "
					+ all.stream().filter((each) -> !hasEnded(each)).map(Signals::describe).toList(), ex);
		}
	}

	private static List<ProcessHandle> withDescendants(ProcessHandle process) {
		return Stream.concat(Stream.of(process), process.descendants()).toList();
	}

	private static void send(ProcessHandle process, String signal) {
		int status = run(process.pid(), signal);
		if (status != 0 && (process.isAlive() || !signal.equals("CONT"))) {
			throw new IllegalStateException("kill -%s %s ended with %s".formatted(signal, process.pid(), status));
		}
	}

	private static int run(long pid, String signal) {
		int status = kill(pid, signal);
		if (status == 0 && signal.equals("STOP")) {
			try {
				await("stop of process " + pid, () -> containsAll(STOPPED, states(pid)));
			}
			catch (ConditionTimeoutException ex) {
				kill(pid, "CONT");
				throw ex;
			}
		}
		return status;
	}

	private static int kill(long pid, String signal) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start();
			if (!kill.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
				kill.destroyForcibly();
				throw new IllegalStateException("kill -%s %s has not ended".formatted(signal, pid));
			}
			return kill.exitValue();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static void await(String what, Callable<Boolean> condition) {
		Patience.await(what).atMost(LIMIT).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(condition);
	}

	private static boolean hasEnded(ProcessHandle process) {
		String states = states(process.pid());
		return !process.isAlive() || (!states.isEmpty() && containsAll(ENDED, states));
	}

	private static String describe(ProcessHandle process) {
		return "%s %s in the state %s".formatted(process.pid(), process.info().command().orElse("?"),
				states(process.pid()));
	}

	private static boolean containsAll(String allowed, String states) {
		return states.chars().allMatch((state) -> allowed.indexOf(state) >= 0);
	}

	/**
	 * Return the states of the threads of a process, a letter for each. Nothing if the
	 * process has gone, and on systems other than Linux, which do not tell.
	 */
	private static String states(long pid) {
		Path threads = Path.of("/proc", Long.toString(pid), "task");
		if (!Files.isDirectory(threads)) {
			return "";
		}
		StringBuilder states = new StringBuilder();
		try (DirectoryStream<Path> found = Files.newDirectoryStream(threads)) {
			for (Path thread : found) {
				// "1234 (name) T 1 …", and the name may contain parentheses
				String state = Files.readString(thread.resolve("stat"));
				states.append(state.charAt(state.lastIndexOf(')') + 2));
			}
		}
		catch (IOException ex) {
			// a thread has ended meanwhile, and another one may have started
			states.append('?');
		}
		return states.toString();
	}

}
