package io.distributedlock.autoconfigure;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.autoconfigure.redis.RedisLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With {@code lock.fail-fast=true} an application starts only if the backends answer.
 */
class FailFastTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LocalLockAutoConfiguration.class, RedisLockAutoConfiguration.class));

	@Test
	void withoutItAnApplicationStartsAlthoughItsRedisIsDown() {
		this.runner.withPropertyValues("lock.provider=redis", "spring.data.redis.port=1")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class));
	}

	@Test
	void redisThatIsDownIsExplained() {
		this.runner
			.withPropertyValues("lock.provider=redis", "spring.data.redis.port=1", "spring.data.redis.password=secret",
					"lock.fail-fast=true")
			.run((context) -> {
				FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription())
					.contains("lock provider redis", "lock.fail-fast", "cannot be reached")
					.doesNotContain("secret");
				assertThat(analysis.getAction()).contains("Start the backend", "lock.fail-fast=false");
			});
	}

	@Test
	void redisThatIsTooOldIsNamed() {
		try (RedisTestServer old = RedisTestServer.runAsOld()) {
			this.runner
				.withPropertyValues("lock.provider=redis", "spring.data.redis.port=" + old.port(),
						"lock.fail-fast=true")
				.run((context) -> {
					FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer()
						.analyze(context.getStartupFailure());
					assertThat(analysis).isNotNull();
					assertThat(analysis.getDescription()).contains("the server has the version " + old.version(),
							"5.0 or later");
					assertThat(analysis.getAction()).contains("a version that this provider supports");
				});
		}
	}

	@Test
	void redisThatAnswersIsEnough() {
		try (RedisTestServer redis = RedisTestServer.run()) {
			this.runner
				.withPropertyValues("lock.provider=redis", "spring.data.redis.port=" + redis.port(),
						"lock.fail-fast=true")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void eachLockTypeOfTheApplicationIsTried() {
		try (RedisTestServer redis = RedisTestServer.run("--rename-command", "ZADD", "")) {
			ApplicationContextRunner connected = this.runner.withPropertyValues("lock.provider=redis",
					"spring.data.redis.port=" + redis.port());
			connected.withBean(Writer.class)
				.withPropertyValues("lock.fail-fast=true")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(redis.command("KEYS", "*start-check*")).asString().isEqualTo("[]");
			connected.withBean(Reader.class).run((context) -> assertThat(context).hasNotFailed());
			connected.withBean(Reader.class).withPropertyValues("lock.fail-fast=true").run((context) -> {
				FailureAnalysis analysis = new InvalidLockSetupFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("lock provider redis", "READ", "nknown Redis command");
				assertThat(analysis.getAction()).contains("rights", "READ", "lock.fail-fast=false")
					.doesNotContain("Start the backend", "address");
			});
		}
	}

	/**
	 * The template of the application may not have the provider beans.
	 */
	@Test
	void providersOfTheTemplateAreAskedWhateverBeansThereAre() {
		AskedProvider fine = new AskedProvider(() -> CompletableFuture.completedFuture(null));
		AskedProvider down = new AskedProvider(
				() -> CompletableFuture.failedFuture(new BackendException("unplugged", false, null)));
		ApplicationContextRunner failFast = this.runner.withPropertyValues("lock.fail-fast=true")
			.withBean("local", LockProvider.class, LocalLockProvider::new)
			.withBean("asked", LockProvider.class, () -> fine);
		failFast.withBean(Reader.class)
			.withBean(DefaultLockTemplate.class, () -> template(new LocalLockProvider()))
			.run((context) -> assertThat(context).hasNotFailed());
		failFast.withBean(DefaultLockTemplate.class, () -> template(down))
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessage("unplugged"));
	}

	@Test
	void eachTemplateIsAskedAlsoBehindAProxy() {
		AskedProvider down = new AskedProvider(
				() -> CompletableFuture.failedFuture(new BackendException("unplugged", false, null)));
		ApplicationContextRunner failFast = this.runner.withPropertyValues("lock.fail-fast=true");
		failFast.withBean(LockTemplate.class, () -> (LockTemplate) new ProxyFactory(template(down)).getProxy())
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessage("unplugged"));
		failFast.withBean("first", LockTemplate.class, () -> template(new LocalLockProvider()))
			.withBean("second", LockTemplate.class, () -> template(down))
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessage("unplugged"));
	}

	@Test
	void typesOfAnnotatedMethodsAreTriedOnTheirTemplateOnly() {
		this.runner.withPropertyValues("lock.fail-fast=true")
			.withBean(Reader.class)
			.withBean("first", LockTemplate.class, () -> template(new LocalLockProvider()),
					(definition) -> definition.setPrimary(true))
			.withBean("second", LockTemplate.class,
					() -> template(new AskedProvider(() -> CompletableFuture.completedFuture(null))))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static DefaultLockTemplate template(LockProvider provider) {
		return DefaultLockTemplate.builder().provider(provider).build();
	}

	@Test
	void providerThatHangsIsWaitedForUntilTheCommandTimeout() {
		this.runner.withBean(LockProvider.class, () -> new AskedProvider(CompletableFuture::new))
			.withPropertyValues("lock.fail-fast=true", "lock.command-timeout=200ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(BackendException.class)
				.hasMessageContaining("command time-out of 200ms"));
	}

	@Test
	void providerThatCannotBeAskedIsNoReasonNotToStart() {
		this.runner
			.withBean(LockProvider.class,
					() -> new AskedProvider(
							() -> CompletableFuture.failedFuture(new UnsupportedOperationException("no"))))
			.withPropertyValues("lock.fail-fast=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void typeThatTheProviderLacksIsToldOfTheAnnotation() {
		this.runner.withBean(LockProvider.class, () -> new AskedProvider(() -> CompletableFuture.completedFuture(null)))
			.withBean(Reader.class)
			.withPropertyValues("lock.fail-fast=true")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockOperationException.class)
				.hasMessageContainingAll("Reader.read()", "SHARED"));
	}

	static class Writer {

		@DistributedLock
		public void write() {
		}

	}

	static class Reader {

		@DistributedLock(type = LockType.READ)
		public void read() {
		}

	}

}
