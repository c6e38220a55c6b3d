package io.distributedlock.test.process;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

class SignalsTests {

	@Test
	@EnabledOnOs(OS.LINUX)
	void suspendedProcessHasStopped() throws IOException {
		Process process = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
		try {
			for (int round = 0; round < 30; round++) {
				Signals.send(process, "STOP");
				assertThat(Path.of("/proc", Long.toString(process.pid()), "status")).content().contains("State:\tT");
				Signals.send(process, "CONT");
			}
		}
		finally {
			process.destroyForcibly();
		}
	}

}
