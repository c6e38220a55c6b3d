package io.distributedlock.examples;

import java.sql.Connection;
import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.StaleTokenException;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcFencedResource;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.redisson.RedissonFencedResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FencingExampleTests extends OnEveryProvider {

	@Test
	void lateWriteOfAPausedHolderIsRefused() {
		ConfigurableApplicationContext node = node(Prices.class);
		ConfigurableApplicationContext other = node();
		JdbcTemplate jdbcTemplate = node.getBean(JdbcTemplate.class);
		JdbcLockSchema.create(jdbcTemplate.getDataSource(), JdbcDialect.H2);
		jdbcTemplate.execute("drop table if exists price");
		jdbcTemplate.execute("create table price (id int primary key, amount int, fence bigint)");
		jdbcTemplate.update("insert into price values (1, 100, null)");
		jdbcTemplate.update("delete from distributed_lock_fence");
		Prices prices = node.getBean(Prices.class);

		LockRequest request = LockRequest.of("prices").withLeaseTime(Duration.ofMillis(500));
		LockHandle paused = locks(node).acquire(request);
		long staleToken = paused.fencingToken().orElseThrow();
		Awaitility.await().until(() -> !paused.isValid()); // a long pause of its JVM
		try (LockHandle successor = locks(other).acquire(request)) {
			prices.writeAll(200, successor.fencingToken().orElseThrow());
			prices.writeOne(1, 250, successor.fencingToken().orElseThrow());
		}
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.writeAll(1, staleToken));
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.writeOne(1, 1, staleToken));
		assertThat(jdbcTemplate.queryForObject("select amount from price", Integer.class)).isEqualTo(250);
		paused.close();
	}

	@Test
	void lateWriteToRedisIsRefused() {
		LockTemplate paused = locks(node());
		LockTemplate other = locks(node());
		Config config = new Config();
		config.useSingleServer().setAddress(redisUrl()).setConnectionMinimumIdleSize(1);
		RedissonClient client = Redisson.create(config);
		try {
			RedissonFencedResource resource = new RedissonFencedResource(client);
			String key = "config-" + this.provider;

			LockRequest request = LockRequest.of(key).withLeaseTime(Duration.ofMillis(500));
			LockHandle stale = paused.acquire(request);
			resource.set(key, "first", stale.fencingToken().orElseThrow());
			Awaitility.await().until(() -> !stale.isValid()); // a long pause of its JVM
			try (LockHandle successor = other.acquire(request)) {
				resource.set(key, "second", successor.fencingToken().orElseThrow());
			}
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> resource.set(key, "late", stale.fencingToken().orElseThrow()))
				.withMessageContaining(key);
			assertThat(client.getBucket(key, StringCodec.INSTANCE).get()).isEqualTo("second");
			stale.close();
		}
		finally {
			client.shutdown();
		}
	}

	static class Prices {

		private final JdbcFencedResource fence = JdbcFencedResource.named("prices");

		private final JdbcFencedResource.Rows rows = JdbcFencedResource.rows("price", "id", "fence");

		private final JdbcTemplate jdbcTemplate;

		Prices(JdbcTemplate jdbcTemplate) {
			this.jdbcTemplate = jdbcTemplate;
		}

		@Transactional
		public void writeAll(int amount, long token) {
			this.jdbcTemplate.execute((Connection connection) -> {
				this.fence.check(connection, token); // everything below is guarded
				return null;
			});
			this.jdbcTemplate.update("update price set amount = ?", amount);
		}

		public void writeOne(int id, int amount, long token) {
			this.jdbcTemplate
				.execute((Connection connection) -> this.rows.update(connection, id, token, "amount = ?", amount));
		}

	}

}
