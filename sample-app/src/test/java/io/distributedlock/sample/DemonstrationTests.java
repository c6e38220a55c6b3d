package io.distributedlock.sample;

import java.time.Duration;
import java.util.List;

import io.distributedlock.test.process.ChildJvm;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the whole sample, as its user starts it: the coordinator, three nodes and Redis.
 */
class DemonstrationTests {

	@Test
	void boundedRunEndsAndNoMessageIsRefusedWithTheLock() {
		try (ChildJvm demo = ChildJvm.start(SampleApplication.class, "--demo.duration=12s", "--server.port=0")) {
			demo.awaitLine("[demo] with the lock");
			demo.awaitLine("  with the lock");
			assertThat(demo.awaitExit()).as(String.join("\n", demo.lines())).isZero();
			assertThat(Demonstration.refused(demo, "  with the lock")).isZero();
			assertThat(Demonstration.refused(demo, "  without the lock")).isPositive();
		}
	}

	@Test
	void allProcessesEndWithIt() {
		List<ProcessHandle> started;
		try (ChildJvm demo = ChildJvm.start(SampleApplication.class, "--server.port=0")) {
			demo.awaitLine("[demo] The page");
			started = ProcessHandle.current().descendants().filter((process) -> isOfDemo(process)).toList();
			assertThat(started).as("the coordinator, three nodes and perhaps Redis").hasSizeGreaterThanOrEqualTo(4);
			demo.terminate();
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
			assertThat(demo.lines()).anyMatch((line) -> line.startsWith("  without the lock"));
		}
	}

	private static boolean isOfDemo(ProcessHandle process) {
		String command = process.info().commandLine().orElse("");
		return command.contains(SampleApplication.class.getName()) || command.contains("redis-server");
	}

}
