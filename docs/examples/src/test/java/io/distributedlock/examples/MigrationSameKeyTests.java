package io.distributedlock.examples;

import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Nodes of before and after a migration exclude each other on the keys that
 * docs/migration shows.
 */
class MigrationSameKeyTests extends Nodes {

	@Test
	void redissonByHand() {
		this.provider = "redisson";
		ConfigurableApplicationContext node = node(List.of("lock.key-prefix=shop:lock"), FromRedisson.class);
		FromRedisson bean = node.getBean(FromRedisson.class);
		RLock byHand = node.getBean(RedissonClient.class).getLock("shop:lock:stock:a");
		byHand.lock();
		try {
			assertThatExceptionOfType(LockNotAcquiredException.class).as("no re-entry, though the thread is the same")
				.isThrownBy(() -> bean.take("a"));
		}
		finally {
			byHand.unlock();
		}
		assertThat(bean.take("a")).isEqualTo("taken");
		try (LockHandle lock = locks(node).acquire(LockRequest.of("a").withName("stock"))) {
			assertThat(byHand.tryLock()).isFalse();
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(byHand.tryLock()).isTrue();
		byHand.unlock();
	}

	@Test
	void setNx() {
		this.provider = "redis";
		ConfigurableApplicationContext node = node(List.of("lock.key-prefix=lock"), FromSetNx.class);
		FromSetNx bean = node.getBean(FromSetNx.class);
		try (RedisClient client = RedisClient.create(redisUrl())) {
			RedisCommands<String, String> redis = client.connect().sync();
			SetArgs nx = SetArgs.Builder.nx().px(30_000);
			assertThat(redis.set("lock:order:42", "old-node", nx)).isEqualTo("OK");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> bean.settle(42));
			assertThat(redis.del("lock:order:42")).isEqualTo(1);
			assertThat(bean.settle(42)).isEqualTo("settled");
			try (LockHandle lock = locks(node).acquire(LockRequest.of("42").withName("order"))) {
				assertThat(redis.set("lock:order:42", "old-node", nx)).isNull();
				assertThat(lock.isValid()).isTrue();
			}
			assertThat(redis.set("lock:order:42", "old-node", nx)).isEqualTo("OK");
		}
	}

	/**
	 * The keys at which ShedLock and Spring Integration have a string on Redis, too.
	 */
	@ParameterizedTest
	@CsvSource({ "job-lock, default, nightly-report, job-lock:default:nightly-report",
			"'', files, a.csv, files:a.csv" })
	void keyOnRedis(String prefix, String name, String key, String fullKey) {
		this.provider = "redis";
		ConfigurableApplicationContext node = node(List.of("lock.key-prefix=" + prefix));
		try (RedisClient client = RedisClient.create(redisUrl());
				LockHandle lock = locks(node).acquire(LockRequest.of(key).withName(name))) {
			assertThat(client.connect().sync().set(fullKey, "old-node", SetArgs.Builder.nx().px(30_000))).isNull();
			assertThat(lock.isValid()).isTrue();
		}
	}

}
