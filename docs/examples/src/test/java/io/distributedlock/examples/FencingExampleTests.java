package io.distributedlock.examples;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FencingExampleTests extends OnEveryProvider {

	@Test
	void lateWriteOfAPausedHolderIsRefused() {
		ConfigurableApplicationContext node = node(PriceWriter.class, PriceUpdates.class);
		ConfigurableApplicationContext other = node();
		JdbcTemplate jdbcTemplate = node.getBean(JdbcTemplate.class);
		JdbcLockSchema.create(jdbcTemplate.getDataSource(), JdbcDialect.H2);
		jdbcTemplate.execute("drop table if exists price");
		jdbcTemplate.execute("create table price (id int primary key, amount int, fence bigint)");
		jdbcTemplate.update("insert into price values (1, 100, null)");
		jdbcTemplate.update("delete from distributed_lock_fence");
		PriceWriter prices = node.getBean(PriceWriter.class);

		LockRequest request = LockRequest.of("paused").withName("prices");
		LockHandle paused = locks(node).acquire(request.withLeaseTime(Duration.ofMillis(500)));
		long staleToken = paused.fencingToken().orElseThrow();
		Patience.await().until(() -> !paused.isValid()); // a long pause of its JVM
		try (LockHandle successor = locks(other).acquire(request)) {
			prices.writeAll(200, successor.fencingToken().orElseThrow());
			prices.writeOne(1, 250, successor.fencingToken().orElseThrow());
		}
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.writeAll(1, staleToken));
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.writeOne(1, 1, staleToken));
		assertThat(amount(jdbcTemplate)).isEqualTo(250);
		paused.close();

		jdbcTemplate.update("delete from distributed_lock_fence");
		node.getBean(PriceUpdates.class).setAll(300);
		assertThat(amount(jdbcTemplate)).isEqualTo(300);
	}

	@Test
	void lateWriteToRedisIsRefused() {
		Config config = new Config();
		config.useSingleServer().setAddress(redisUrl()).setConnectionMinimumIdleSize(1);
		RedissonClient client = Redisson.create(config);
		try {
			String name = "vat-" + this.provider;
			ShopSettings successor = settings(client, (key) -> "second");
			ShopSettings paused = settings(client, (key) -> {
				LockHandle lock = LockContext.current();
				Patience.await().until(() -> !lock.isValid()); // a long pause of its
																// JVM
				successor.refresh(key);
				return "late";
			});
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> paused.refresh(name))
				.withMessageContaining(name);
			assertThat(client.getBucket(name, StringCodec.INSTANCE).get()).isEqualTo("second");
		}
		finally {
			client.shutdown();
		}
	}

	private ShopSettings settings(RedissonClient client, ShopSettings.Source source) {
		return node(List.of("settings.lease-time=500ms"),
				(context) -> context.registerBean(ShopSettings.class, () -> new ShopSettings(client, source)))
			.getBean(ShopSettings.class);
	}

	private static int amount(JdbcTemplate jdbcTemplate) {
		return jdbcTemplate.queryForObject("select amount from price", Integer.class);
	}

}
