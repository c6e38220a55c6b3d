package io.distributedlock.autoconfigure.connection;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.etcd.EtcdLockAutoConfiguration;
import io.distributedlock.autoconfigure.memcached.MemcachedLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedisLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedissonLockAutoConfiguration;
import io.distributedlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An address that nobody has set is said in the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class DefaultAddressTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedissonLockAutoConfiguration.class,
					RedisLockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
					EtcdLockAutoConfiguration.class, MemcachedLockAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource({ "redis, localhost:6379, spring.data.redis.host, 127.0.0.1",
			"redisson, localhost:6379, spring.data.redis.host, 127.0.0.1",
			"zookeeper, localhost:2181, lock.zookeeper.connect-string, 127.0.0.1:2181",
			"etcd, http://localhost:2379, lock.etcd.endpoints[0], http://127.0.0.1:2379",
			"memcached, localhost:11211, lock.memcached.servers[0], 127.0.0.1:11211" })
	void isSaidUnlessItIsSet(String provider, String address, String property, String other, CapturedOutput log) {
		ApplicationContextRunner chosen = this.runner.withPropertyValues("lock.provider=" + provider);
		chosen.withPropertyValues(property + "=" + other).run((context) -> assertThat(context).hasNotFailed());
		assertThat(log).doesNotContain("the default, as");
		chosen.run((context) -> assertThat(context).hasNotFailed());
		assertThat(log).containsOnlyOnce("the default, as")
			.contains("Lock provider " + provider + " uses ", address, property.replace("[0]", "") + " ");
	}

	@Test
	void isSaidOfTheConnectionFactoryOfSpringBoot(CapturedOutput log) {
		this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("lock.provider=redis", "spring.data.redis.client-type=lettuce")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(log).containsOnlyOnce("Lock provider redis uses localhost:6379, the default");
	}

}
