package io.distributedlock.sample;

import java.util.concurrent.TimeUnit;

import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the sample on each backend that has a profile. Each run takes half a minute, so
 * the default build leaves them out.
 */
// five JVMs start, beside those of other tests
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
class BackendDemonstrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "zookeeper", "etcd", "memcached", "redis", "redlock" })
	void noMessageIsRefusedOnAnyBackend(String profile) {
		try (ChildJvm demo = ChildJvm.start(SampleApplication.class, "--demo.duration=6s", "--server.port=0",
				"--spring.profiles.active=" + profile)) {
			demo.awaitLine("[demo] with the lock");
			demo.awaitLine("  with the lock");
			assertThat(demo.awaitExit()).as(String.join("\n", demo.lines())).isZero();
			assertThat(Demonstration.refused(demo, "  with the lock")).isZero();
		}
	}

}
