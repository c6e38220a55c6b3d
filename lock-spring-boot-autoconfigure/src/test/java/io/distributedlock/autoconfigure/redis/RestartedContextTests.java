package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A context that is stopped and started again, as Spring's tests pause and restart
 * theirs, has its locks again. Spring Data Redis makes another client then.
 */
@ExtendWith(OutputCaptureExtension.class)
class RestartedContextTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
						RedisLockAutoConfiguration.class, RedissonLockAutoConfiguration.class))
		// a message wakes the waiting call, or nothing does
		.withPropertyValues("spring.application.name=shop", "lock.command-timeout=30s", "lock.poll-interval=10m",
				"lock.renewal.lease-time=1h", "spring.data.redis.client-type=lettuce");

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void locksWorkAfterAStopAndAStart(String provider, CapturedOutput log) {
		try (RedisTestServer server = RedisTestServer.run()) {
			ApplicationContextRunner connected = connected(provider, server);
			connected.run((restarted) -> connected.run((other) -> {
				LockTemplate template = restarted.getBean(LockTemplate.class);
				requireHandOver(other.getBean(LockTemplate.class), template, "before");
				restarted.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
				restarted.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
				requireHandOver(other.getBean(LockTemplate.class), template, "after");
			}));
			assertThat(log).doesNotContain("already closed");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "redisson" })
	void heldLockIsKeptThroughAPause(String provider) {
		try (RedisTestServer server = RedisTestServer.run()) {
			ApplicationContextRunner connected = connected(provider, server);
			connected.run((paused) -> connected.run((other) -> {
				LockTemplate template = paused.getBean(LockTemplate.class);
				try (LockHandle held = template.acquire("held")) {
					paused.getSourceApplicationContext(ConfigurableApplicationContext.class).pause();
					paused.getSourceApplicationContext(ConfigurableApplicationContext.class).restart();
					held.extend(Duration.ofMinutes(5));
					held.ensureHeld();
					assertThat(other.getBean(LockTemplate.class).tryAcquire("held")).isEmpty();
				}
				requireHandOver(other.getBean(LockTemplate.class), template, "held");
			}));
		}
	}

	private ApplicationContextRunner connected(String provider, RedisTestServer server) {
		return this.runner.withPropertyValues("lock.provider=" + provider, "spring.data.redis.port=" + server.port());
	}

	private static void requireHandOver(LockTemplate from, LockTemplate to, String key) {
		LockRequest request = LockRequest.of(key).withWaitTime(Duration.ofMinutes(5));
		LockHandle held = from.acquire(request);
		CompletableFuture<LockHandle> waiting = to.acquireAsync(request);
		Patience.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
		held.close();
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

}
