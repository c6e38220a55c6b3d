package io.distributedlock.benchmarks.contention.worker;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a worker prints.
 */
class WorkerJvmTests {

	@Test
	void logsDoNotMixWithTheAnswersOfAWorker(@TempDir Path folder) throws Exception {
		Path log = folder.resolve("log");
		try (WorkerJvm worker = WorkerJvm.start(log, Duration.ofMinutes(1), Chatty.class, List.of())) {
			assertThat(worker.await("READY")).isEqualTo("to work");
		}
		assertThat(log).content().contains("READY for anything");
	}

	/**
	 * A worker whose library prints.
	 */
	static final class Chatty {

		@SuppressWarnings("SystemOut")
		public static void main(String[] args) {
			PrintStream parent = WorkerJvm.takeOutput();
			System.out.println("READY for anything");
			parent.println("READY to work");
		}

	}

}
