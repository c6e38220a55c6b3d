package io.distributedlock.autoconfigure.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockOnRealRedisTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedissonLockAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop")
		.withBean(Settlement.class);

	@Test
	void annotatedMethodExcludesAnotherApplication() {
		try (RedisTestServer server = RedisTestServer.run()) {
			ApplicationContextRunner connected = this.runner
				.withPropertyValues("spring.data.redis.port=" + server.port());
			connected.run((first) -> connected.run((second) -> {
				Settlement slow = first.getBean(Settlement.class);
				Settlement other = second.getBean(Settlement.class);
				Thread thread = new Thread(() -> slow.settle("42"));
				thread.start();
				Patience.await().until(() -> server.command("EXISTS", "shop:lock:settlement:42").equals(1L));
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> other.settle("42"));
				slow.mayEnd().countDown();
				thread.join();
				other.mayEnd().countDown();
				// its wait time is short for a busy machine
				Patience.await()
					.ignoreExceptionsInstanceOf(LockNotAcquiredException.class)
					.untilAsserted(() -> other.settle("42"));
				assertThat(slow.runs()).isEqualTo(1);
				assertThat(other.runs()).isEqualTo(1);
			}));
		}
	}

	@Test
	void passwordOfSpringDataIsUsed() {
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret")) {
			ApplicationContextRunner connected = this.runner
				.withPropertyValues("spring.data.redis.port=" + server.port());
			connected.withPropertyValues("spring.data.redis.password=s3cret")
				.run((context) -> context.getBean(LockTemplate.class).acquire("k").close());
			connected.withPropertyValues("spring.data.redis.password=wr0ng")
				.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
					.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wr0ng")));
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lettuceClosesItsConnectionsBeforeItsOwnClientWarnsOfThem(CapturedOutput log) {
		try (RedisTestServer server = RedisTestServer.run()) {
			this.runner.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class))
				.withPropertyValues("lock.provider=redis", "spring.data.redis.port=" + server.port())
				.run((context) -> context.getBean(LockTemplate.class).acquire("k").close());
		}
		assertThat(log).doesNotContain("already closed");
	}

	@Test
	void lettuceUsesItsOwnClientOrThatOfTheApplication() {
		ApplicationContextRunner lettuce = new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
			.withPropertyValues("lock.provider=redis", "spring.application.name=shop");
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret")) {
			ApplicationContextRunner connected = lettuce.withPropertyValues("spring.data.redis.port=" + server.port(),
					"spring.data.redis.password=s3cret");
			connected.run((own) -> connected.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
				.run((shared) -> {
					try (LockHandle handle = own.getBean(LockTemplate.class).acquire("k")) {
						assertThat(server.command("EXISTS", handle.key())).isEqualTo(1L);
						assertThat(shared.getBean(LockTemplate.class).tryAcquire("k")).isEmpty();
					}
					shared.getBean(LockTemplate.class).acquire("k").close();
				}));
			lettuce.withPropertyValues("spring.data.redis.url=redis://:s3cret@127.0.0.1:" + server.port())
				.run((context) -> context.getBean(LockTemplate.class).acquire("k").close());
		}
	}

	@Test
	void redissonYamlIsUsed(@TempDir Path folder) throws IOException {
		try (RedisTestServer server = RedisTestServer.run()) {
			Path yaml = Files.writeString(folder.resolve("redisson.yaml"),
					"singleServerConfig:\n  address: " + server.url() + "\n  connectionMinimumIdleSize: 1\n");
			this.runner.withPropertyValues("lock.redisson.config=file:" + yaml).run((context) -> {
				try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
					assertThat(server.command("EXISTS", handle.key())).isEqualTo(1L);
				}
			});
		}
	}

	@Test
	void applicationStartsWithoutRedisAndItsCallsFailInTimeUntilItIsUp() {
		try (RedisTestServer server = RedisTestServer.run()) {
			server.kill();
			this.runner.withPropertyValues("spring.data.redis.port=" + server.port(), "lock.command-timeout=3s")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					Settlement settlement = context.getBean(Settlement.class);
					settlement.mayEnd().countDown();
					long start = System.nanoTime();
					assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> settlement.settle("42"))
						.withMessageContaining("shop:lock:settlement:42");
					assertThat(Duration.ofNanos(System.nanoTime() - start))
						.as("about one command time-out, also on a slow machine")
						.isLessThan(Duration.ofSeconds(10));
					assertThat(settlement.runs()).isZero();
					server.start();
					context.getBean(LockTemplate.class)
						.acquire(LockRequest.of("up").withWaitTime(Patience.LIMIT))
						.close();
					settlement.settle("42");
					assertThat(settlement.runs()).isEqualTo(1);
				});
		}
	}

	@Test
	void closingTheApplicationReleasesItsLocks() {
		try (RedisTestServer server = RedisTestServer.run()) {
			this.runner.withPropertyValues("spring.data.redis.port=" + server.port()).run((context) -> {
				LockHandle handle = context.getBean(LockTemplate.class).acquire("held");
				assertThat(server.command("EXISTS", handle.key())).isEqualTo(1L);
			});
			assertThat(server.command("EXISTS", "shop:lock:held")).isEqualTo(0L);
		}
	}

	static class Settlement {

		private final AtomicInteger runs = new AtomicInteger();

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		@DistributedLock(name = "settlement", key = "#id", waitTime = "100ms")
		public void settle(String id) {
			this.runs.incrementAndGet();
			try {
				this.mayEnd.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		int runs() {
			return this.runs.get();
		}

		CountDownLatch mayEnd() {
			return this.mayEnd;
		}

	}

}
