package io.distributedlock.application;

import io.distributedlock.test.process.ChildJvm;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Devtools restarts an application with a new class loader for its classes: locks work
 * again, and the template of before is closed.
 */
@Timeout(300)
class RestartTests {

	@Test
	void restartClosesTheTemplateAndTheNextOneLocks() {
		try (RedisTestServer server = RedisTestServer.run();
				ChildJvm application = ChildJvm.start(RestartedApplication.class,
						"--spring.data.redis.port=" + server.port(), "--lock.key-prefix=shop",
						"--lock.command-timeout=20s", "--logging.level.root=warn")) {
			assertThat(application.awaitLine("RUN 1")).isEqualTo("RUN 1 shop:order:7 RestartClassLoader 1");
			assertThat(application.awaitLine("RUN 2")).isEqualTo("RUN 2 shop:order:7 RestartClassLoader 1");
			assertThat(application.awaitLine("THREADS")).isEqualTo("THREADS 1");
			assertThat(application.awaitLine("LEFT")).isEqualTo("LEFT 0");
			assertThat(server.command("EXISTS", "shop:order:7")).isEqualTo(0L);
		}
	}

}
