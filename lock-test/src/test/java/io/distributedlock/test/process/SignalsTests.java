package io.distributedlock.test.process;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class SignalsTests {

	/**
	 * The shell becomes a program that does not ask for the end of the shell's child,
	 * which so remains as a zombie.
	 */
	private static final String WITH_ZOMBIE = "sleep 0.1 & exec sleep 60";

	private static final Duration SOON = Duration.ofSeconds(20);

	private final List<Process> started = new ArrayList<>();

	@AfterEach
	void end() {
		this.started.forEach((process) -> process.descendants().forEach(ProcessHandle::destroyForcibly));
		this.started.forEach(Process::destroyForcibly);
	}

	@Test
	void suspendedProcessHasStopped() {
		Process process = start("while :; do :; done");
		for (int round = 0; round < 30; round++) {
			Signals.send(process, "STOP");
			assertThat(state(process.pid())).isEqualTo("T");
			Signals.send(process, "CONT");
		}
	}

	@Test
	void childThatHasEndedNeedNotStop() {
		Process process = start(WITH_ZOMBIE);
		ProcessHandle child = child(process);
		Patience.await().until(() -> state(child.pid()).equals("Z"));
		assertTimeoutPreemptively(SOON, () -> Signals.sendToAll(process.toHandle(), "STOP"));
		assertThat(state(process.pid())).isEqualTo("T");
		Signals.sendToAll(process.toHandle(), "CONT");
		Patience.await().until(() -> state(process.pid()).equals("S"));
	}

	@Test
	void allGoOnIfOneDoesNotStop() {
		Process process = start("sleep 60 & sleep 60");
		ProcessHandle child = child(process);
		ProcessHandle parent = with(process.toHandle(), List.of(child, unreachable()));
		assertThatIllegalStateException().isThrownBy(() -> Signals.sendToAll(parent, "STOP"))
			.withMessageContaining("STOP");
		Patience.await()
			.untilAsserted(() -> assertThat(List.of(state(process.pid()), state(child.pid()))).containsOnly("S"));
	}

	@Test
	void stoppedProcessesEnd() {
		Process process = start("sleep 60 & trap '' TERM; sleep 0.1 & exec sleep 60");
		Patience.await()
			.until(() -> process.descendants().map((child) -> state(child.pid())).sorted().toList(),
					List.of("S", "Z")::equals);
		List<ProcessHandle> children = process.descendants().toList();
		Signals.sendToAll(process.toHandle(), "STOP");
		assertTimeoutPreemptively(SOON, () -> Signals.killAll(process.toHandle()));
		assertThat(children).allSatisfy((child) -> assertThat(state(child.pid())).isIn("Z", "gone"));
		Patience.await().until(() -> !process.isAlive());
		Signals.killAll(process.toHandle());
	}

	private Process start(String script) {
		try {
			Process process = new ProcessBuilder("sh", "-c", script).start();
			this.started.add(process);
			return process;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ProcessHandle child(Process process) {
		Patience.await().until(() -> process.descendants().findAny().isPresent());
		return process.descendants().findFirst().orElseThrow();
	}

	private static String state(long pid) {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
			return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
		}
		catch (IOException ex) {
			return "gone";
		}
	}

	/**
	 * Return a process that no signal reaches.
	 */
	private static ProcessHandle unreachable() {
		return handle(Map.of("pid", () -> (long) Integer.MAX_VALUE, "isAlive", () -> true));
	}

	private static ProcessHandle with(ProcessHandle process, List<ProcessHandle> descendants) {
		return handle(Map.of("pid", process::pid, "descendants", descendants::stream));
	}

	private static ProcessHandle handle(Map<String, Supplier<Object>> answers) {
		return (ProcessHandle) Proxy.newProxyInstance(SignalsTests.class.getClassLoader(),
				new Class<?>[] { ProcessHandle.class },
				(proxy, method, arguments) -> Objects.requireNonNull(answers.get(method.getName())).get());
	}

}
