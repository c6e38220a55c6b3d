package io.distributedlock.sample;

import java.util.concurrent.TimeUnit;

import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the whole sample, as its user starts it: the coordinator, three nodes and Redis.
 * In the default build {@link PageTests} does.
 */
// five JVMs start, beside those of other tests
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
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

}
