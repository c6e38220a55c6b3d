package io.distributedlock.autoconfigure.redis;

import java.util.concurrent.TimeUnit;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.test.process.ChildJvm;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job does not close its application context.
 */
// a JVM starts
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RedissonClientsTests {

	@Test
	void jvmEndsWithTheWorkOfTheApplication() {
		try (RedisTestServer server = RedisTestServer.run();
				ChildJvm job = ChildJvm.start(Job.class, "--spring.data.redis.port=" + server.port())) {
			job.awaitLine("done");
			assertThat(job.awaitExit()).isZero();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RedissonLockAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Job {

		public static void main(String[] args) {
			new SpringApplicationBuilder(Job.class).web(WebApplicationType.NONE)
				.properties("lock.provider=redisson", "lock.command-timeout=20s")
				.run(args)
				.getBean(LockTemplate.class)
				.execute("job", () -> System.out.println("done"));
		}

	}

}
