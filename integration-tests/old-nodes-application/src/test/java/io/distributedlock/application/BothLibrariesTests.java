package io.distributedlock.application;

import com.baomidou.lock.annotation.Lock4j;
import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The starters of lock4j and of this library are in one application, and both annotations
 * lock.
 */
class BothLibrariesTests {

	private static final String FULL_KEY = "lock4j:seat#A.7";

	@ParameterizedTest
	@CsvSource({ "RedisTemplateLockExecutor, redis", "RedissonLockExecutor, redisson" })
	void bothStartersAreInOneApplication(String executor, String provider) {
		try (RedisTestServer server = RedisTestServer.run();
				ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class).run(
						"--lock4j.primary-executor=com.baomidou.lock.executor." + executor,
						"--lock.provider=" + provider, "--spring.data.redis.port=" + server.port(),
						"--server=" + server.url())) {
			Seats seats = context.getBean(Seats.class);
			assertThat(context.getBean(LockTemplate.class)).isNotNull();
			assertThat(context.getBean(com.baomidou.lock.LockTemplate.class)).isNotNull();
			seats.reserveAsBefore("A", 7, () -> {
				assertThat(server.command("EXISTS", FULL_KEY)).isEqualTo(1L);
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> seats.reserve("A", 7, () -> assertThat(LockContext.find()).isEmpty()));
				seats.reserve("A", 8, () -> assertThat(LockContext.find()).isPresent());
			});
			seats.reserve("A", 7, () -> {
				assertThat(LockContext.current().key()).isEqualTo(FULL_KEY);
				assertThatExceptionOfType(com.baomidou.lock.exception.LockFailureException.class)
					.isThrownBy(() -> seats.reserveAsBefore("A", 7, () -> assertThat(LockContext.find()).isEmpty()));
			});
			assertThat(server.command("EXISTS", FULL_KEY)).isEqualTo(0L);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Seats.class)
	static class Application {

		@Bean(destroyMethod = "shutdown")
		RedissonClient redissonClient(@Value("${server}") String url) {
			return Clients.redisson(url);
		}

	}

	static class Seats {

		@Lock4j(name = "seat", keys = { "#hall", "#seat" }, acquireTimeout = 10, expire = 60_000)
		public void reserveAsBefore(String hall, int seat, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "lock4j:seat##{#hall}.#{#seat}", exactKey = true, waitTime = "0")
		public void reserve(String hall, int seat, Runnable work) {
			work.run();
		}

	}

}
