package io.distributedlock.application;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that gets SIGTERM under load: who holds a lock finishes with it, who waits is
 * refused, and nothing stays on the backend.
 */
// longer than the start of an application on a busy machine
@Timeout(300)
class ShutdownTests {

	private static final int SIGTERM_EXIT = 143;

	@Test
	void holdersFinishAndOthersAreRefused() {
		try (RedisTestServer server = RedisTestServer.run();
				ChildJvm process = ChildJvm.start(BusyApplication.class, "--server.port=0",
						"--spring.cache.cache-names=prices", "--spring.data.redis.port=" + server.port(),
						"--lock.command-timeout=20s")) {
			process.awaitLine(BusyApplication.HELD);
			Patience.await().until(() -> count(process, BusyApplication.HELD) >= 3);
			process.terminate();
			assertThat(process.awaitExit()).isEqualTo(SIGTERM_EXIT);
			assertThat(count(process, BusyApplication.HELD)).as("finished of those that began: %s", process.lines())
				.isEqualTo(count(process, BusyApplication.BEGUN));
			assertThat(count(process, BusyApplication.REFUSED)).as("waiters").isGreaterThanOrEqualTo(3);
			assertThat(process.lines()).contains(BusyApplication.REFUSED + " CLOSED")
				.noneMatch((line) -> line.contains("no longer held"));
			assertThat(String.valueOf(server.command("KEYS", "shop:lock:order:*"))).isEqualTo("[]");
		}
	}

	private static long count(ChildJvm process, String word) {
		return process.lines().stream().filter((line) -> line.startsWith(word)).count();
	}

}
