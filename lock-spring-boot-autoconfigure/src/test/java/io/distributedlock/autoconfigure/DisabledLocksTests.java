package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.execution.LockExecutionAutoConfiguration;
import io.distributedlock.autoconfigure.health.LockHealthAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedissonLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DisabledLocksTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockExecutionAutoConfiguration.class,
						RedissonLockAutoConfiguration.class, LockHealthAutoConfiguration.class))
		.withPropertyValues("lock.enabled=false");

	@Test
	void noBackendIsAskedAndTheLogSaysSo(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(LockProvider.class)
				.doesNotHaveBean(RedissonClient.class)
				.doesNotHaveBean(LockHealthAutoConfiguration.class)
				.doesNotHaveBean("distributedLockShutdown");
			assertThat(output).contains("WARN").contains("Distributed locks are OFF");
		});
	}

	@Test
	void templateRunsItsWork() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(template.<String, RuntimeException>execute("k", () -> LockContext.current().key()))
				.isEqualTo("k");
		});
	}

	@Test
	void annotatedMethodsRunSideBySideAndFindTheirHandle() {
		this.runner.withBean(Annotated.class).run((context) -> {
			Annotated bean = context.getBean(Annotated.class);
			assertThat(bean.run("1")).isEqualTo("annotated:1");
			assertThat(bean.later("2").join()).isEqualTo("annotated:2");
			assertThat(bean.elsewhere()).isEqualTo("annotated:4");
			assertThat(bean.inside("3", () -> CompletableFuture.supplyAsync(() -> bean.run("3")).join()))
				.isEqualTo("annotated:3");
		});
	}

	/**
	 * No property applies to it.
	 */
	@Test
	void templateOfTheApplicationLocksAsItWasBuilt() {
		this.runner
			.withBean(LockTemplate.class, () -> DefaultLockTemplate.builder().provider(new LocalLockProvider()).build())
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				try (LockHandle held = template.acquire("k")) {
					CompletableFuture<Boolean> beside = CompletableFuture.supplyAsync(
							() -> template.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ZERO)).isPresent());
					assertThat(beside).succeedsWithin(Patience.LIMIT).isEqualTo(false);
					held.ensureHeld();
				}
			});
	}

	static class Annotated {

		@DistributedLock(name = "annotated", key = "#id")
		String run(String id) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "annotated", key = "#id")
		CompletableFuture<String> later(String id) {
			return CompletableFuture.completedFuture(LockContext.current().key());
		}

		@DistributedLock(name = "annotated", key = "'4'", provider = "redis", leaseTime = "1ms")
		String elsewhere() {
			LockContext.current().ensureHeld();
			return LockContext.current().key();
		}

		@DistributedLock(name = "annotated", key = "#id")
		String inside(String id, Supplier<String> work) {
			return work.get();
		}

	}

}
