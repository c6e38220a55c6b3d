package io.distributedlock.autoconfigure.execution;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;

@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class LockExecutionTests {

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockExecutionAutoConfiguration.class, LocalLockAutoConfiguration.class))
		.withPropertyValues("lock.provider=local");

	private final ApplicationContextRunner withExecutor = this.runner
		.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class));

	@Test
	void workRunsOnTheExecutorOfTheApplication() {
		this.withExecutor
			.run((context) -> assertThat(inWork(context.getBean(LockTemplate.class), LockExecutionTests::threadName))
				.startsWith("task-"));
	}

	@Test
	void propertiesOfTheApplicationsExecutorApply() {
		this.withExecutor.withPropertyValues("spring.task.execution.thread-name-prefix=shop-")
			.run((context) -> assertThat(inWork(context.getBean(LockTemplate.class), LockExecutionTests::threadName))
				.startsWith("shop-"));
	}

	/**
	 * As a method of the application may declare it, for virtual threads.
	 */
	@Test
	void anyTypeOfExecutorOfTheApplicationIsUsed() {
		this.withExecutor
			.withBean("applicationTaskExecutor", ExecutorService.class,
					() -> Executors.newCachedThreadPool((task) -> new Thread(task, "own-")))
			.run((context) -> assertThat(inWork(context.getBean(LockTemplate.class), LockExecutionTests::threadName))
				.startsWith("own-"));
	}

	@Test
	void workRunsOnThreadsOfTheTemplateWithoutAnExecutor() {
		this.runner
			.run((context) -> assertThat(inWork(context.getBean(LockTemplate.class), LockExecutionTests::threadName))
				.startsWith("lock-callback-"));
	}

	@Test
	void workRunsOnThreadsOfItsOwnIfTheyAreConfigured() {
		this.withExecutor.withPropertyValues("lock.executor.threads=2").run((context) -> {
			assertThat(inWork(context.getBean(LockTemplate.class), LockExecutionTests::threadName))
				.startsWith("lock-executor-");
			assertThat(context).as("of the application").hasBean("applicationTaskExecutor");
		});
	}

	@Test
	void noThreadsAreRefusedWithTheProperty() {
		this.withExecutor.withPropertyValues("lock.executor.threads=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockSetupException.class)
				.hasMessageContaining("lock.executor.threads must be at least 1 but is 0"));
	}

	@Test
	void workSeesMdcAndWhatADecoratorPassesOn() {
		this.withExecutor.withBean(TaskDecorator.class, () -> LockExecutionTests::withTenant).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			MDC.put("user", "anna");
			TENANT.set("blue");
			try {
				assertThat(inWork(template, () -> MDC.get("user") + " " + TENANT.get())).isEqualTo("anna blue");
			}
			finally {
				MDC.clear();
				TENANT.remove();
			}
			assertThat(inWork(template, () -> MDC.get("user") + " " + TENANT.get())).isEqualTo("null null");
		});
	}

	@Test
	void shutdownWaitsForHoldersAndRefusesOthers() {
		CompletableFuture<Boolean> closed = new CompletableFuture<>();
		this.runner.withPropertyValues("lock.shutdown-timeout=25s").run((context) -> {
			DefaultLockTemplate template = context.getBean(DefaultLockTemplate.class);
			LockHandle handle = template.acquire("k");
			CompletableFuture<LockHandle> waiting = onOtherThread(() -> template.acquireAsync(LockRequest.of("k")));
			onOtherThread(() -> CompletableFuture.runAsync(() -> {
				context.getSourceApplicationContext().close();
				closed.complete(true);
			}, (task) -> new Thread(task, "closing").start()));
			assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(closed).isNotDone();
			assertThat(handle.isValid()).isTrue();
			template.execute("nested", () -> assertThat(handle.isValid()).isTrue());
			handle.close();
			assertThat(closed.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		});
	}

	@Test
	void shutdownDoesNotWaitForever(CapturedOutput output) {
		this.runner.withPropertyValues("lock.shutdown-timeout=50ms", "lock.key-prefix=p").run((context) -> {
			LockHandle handle = context.getBean(LockTemplate.class).acquire("forgotten");
			context.getSourceApplicationContext().close();
			assertThat(handle.isValid()).isFalse();
			assertThat(output).contains("p:forgotten").contains("lock.shutdown-timeout");
		});
	}

	/**
	 * A bean method may return the interface.
	 */
	@Test
	void templateOfTheApplicationIsDrained(CapturedOutput output) {
		DefaultLockTemplate own = template();
		this.runner.withBean(LockTemplate.class, () -> own)
			.withPropertyValues("lock.shutdown-timeout=50ms")
			.run((context) -> {
				LockHandle handle = own.acquire("own");
				context.getSourceApplicationContext().close();
				assertThat(handle.isValid()).isFalse();
				assertThat(output).contains("[own]").contains("lock.shutdown-timeout");
			});
	}

	@Test
	void templateBehindAProxyOfTheApplicationIsDrained(CapturedOutput output) {
		try (DefaultLockTemplate own = template()) {
			Object proxy = new ProxyFactory(own).getProxy();
			this.runner.withBean(LockTemplate.class, () -> (LockTemplate) proxy)
				.withPropertyValues("lock.shutdown-timeout=50ms")
				.run((context) -> {
					own.acquire("own");
					context.getSourceApplicationContext().close();
					assertThat(output).contains("[own]").contains("lock.shutdown-timeout");
				});
		}
	}

	@Test
	void eachOfSeveralTemplatesIsDrained(CapturedOutput output) {
		DefaultLockTemplate first = template();
		DefaultLockTemplate second = template();
		this.runner.withBean("first", LockTemplate.class, () -> first)
			.withBean("second", LockTemplate.class, () -> second)
			.withPropertyValues("lock.shutdown-timeout=50ms")
			.run((context) -> {
				first.acquire("a");
				second.acquire("b");
				context.getSourceApplicationContext().close();
				assertThat(output).contains("[a]").contains("[b]");
			});
	}

	@Test
	void shutdownThatSpringBootEndsEarlierIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("lock.shutdown-timeout=10s", "spring.lifecycle.timeout-per-shutdown-phase=20s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("timeout-per-shutdown-phase");
		this.runner.withPropertyValues("lock.shutdown-timeout=40s").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("lock.shutdown-timeout is 40000ms", "after 30000ms",
					"spring.lifecycle.timeout-per-shutdown-phase");
		});
	}

	@Test
	void negativeTimesAndSizesAreRefused() {
		for (String wrong : new String[] { "lock.shutdown-timeout=-1s", "lock.executor.queue-capacity=-1" }) {
			this.runner.withPropertyValues(wrong, "lock.executor.threads=1")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageStartingWith(wrong.split("=", 2)[0]));
		}
	}

	@Test
	void contextThatStartsAgainLocksAgain() {
		this.runner.run((context) -> {
			context.getSourceApplicationContext().stop();
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThatThrownBy(() -> template.acquire("k")).isInstanceOf(LockNotAcquiredException.class);
			context.getSourceApplicationContext().start();
			template.acquire("k").close();
		});
	}

	@Test
	void childThatClosesLeavesTheTemplateOfItsParent() {
		this.runner.run((parent) -> {
			this.runner.withParent(parent)
				.run((child) -> assertThat(child.containsLocalBean("distributedLockShutdown")).isFalse());
			parent.getBean(LockTemplate.class).acquire("k").close();
		});
	}

	private static DefaultLockTemplate template() {
		return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
	}

	private static String threadName() {
		return Thread.currentThread().getName();
	}

	private static Runnable withTenant(Runnable task) {
		String tenant = TENANT.get();
		return () -> {
			TENANT.set(tenant);
			try {
				task.run();
			}
			finally {
				TENANT.remove();
			}
		};
	}

	private static String inWork(LockTemplate template, Supplier<String> seen) {
		CompletableFuture<String> result = template.executeAsync(LockRequest.of("k"),
				() -> CompletableFuture.completedFuture(String.valueOf(seen.get())));
		await().until(result::isDone);
		return result.join();
	}

	private static <T> T onOtherThread(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, (task) -> new Thread(task, "other").start()).join();
	}

}
