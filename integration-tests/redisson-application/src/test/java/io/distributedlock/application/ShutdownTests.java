package io.distributedlock.application;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that gets SIGTERM under load: who holds a lock finishes with it, who waits is
 * refused, and nothing stays on the backend.
 */
@Timeout(180)
class ShutdownTests {

	private static final int SIGTERM_EXIT = 143;

	@Test
	void holdersFinishAndOthersAreRefused() throws IOException, InterruptedException {
		try (RedisTestServer server = RedisTestServer.run()) {
			Process process = start(server.port());
			List<String> lines = Collections.synchronizedList(new ArrayList<>());
			Thread reader = new Thread(() -> process.inputReader(StandardCharsets.UTF_8).lines().forEach(lines::add),
					"output");
			reader.start();
			Patience.await().until(() -> count(lines, BusyApplication.HELD) >= 3);
			// Process.destroy would close its output too
			process.toHandle().destroy();
			assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).as("ended").isTrue();
			reader.join(Patience.LIMIT.toMillis());
			assertThat(process.exitValue()).isEqualTo(SIGTERM_EXIT);
			assertThat(count(lines, BusyApplication.HELD)).as("finished of those that began: %s", lines)
				.isEqualTo(count(lines, BusyApplication.BEGUN));
			assertThat(count(lines, BusyApplication.REFUSED)).as("waiters").isGreaterThanOrEqualTo(3);
			assertThat(lines).contains(BusyApplication.REFUSED + " CLOSED")
				.noneMatch((line) -> line.contains("no longer held"));
			assertThat(String.valueOf(server.command("KEYS", "shop:lock:order:*"))).isEqualTo("[]");
		}
	}

	private static Process start(int port) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", BusyApplication.class.getName(), "--server.port=0",
				"--spring.cache.cache-names=prices", "--spring.data.redis.port=" + port, "--lock.command-timeout=20s")
			.redirectErrorStream(true);
		builder.environment().put("CLASSPATH", System.getProperty("java.class.path") + File.pathSeparator);
		return builder.start();
	}

	private static long count(List<String> lines, String word) {
		return List.copyOf(lines).stream().filter((line) -> line.startsWith(word)).count();
	}

}
