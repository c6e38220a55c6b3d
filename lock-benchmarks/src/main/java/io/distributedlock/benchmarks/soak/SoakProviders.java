package io.distributedlock.benchmarks.soak;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLockStrategy;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.redisson.RedissonLockProvider;
import io.distributedlock.test.ProviderFactory;
import io.lettuce.core.RedisClient;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Creates the provider of a node, with its own client. The arguments are the name of the
 * provider, and then where its server is.
 */
public final class SoakProviders implements ProviderFactory {

	/**
	 * Create the factory.
	 */
	public SoakProviders() {
	}

	@Override
	public Node create(List<String> arguments, Duration commandTimeout) {
		return switch (arguments.get(0)) {
			case "local" -> new Node(new LocalLockProvider());
			case "redis" -> redis(arguments.get(1), commandTimeout);
			case "redisson" -> redisson(arguments.get(1), commandTimeout);
			case "jdbc" -> jdbc(arguments, commandTimeout);
			default -> throw new IllegalArgumentException("The soak has no provider '%s'".formatted(arguments.get(0)));
		};
	}

	private static Node redis(String url, Duration commandTimeout) {
		RedisClient client = RedisClient.create(url);
		return new Node(new RedisLockProvider(client, commandTimeout),
				() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(5)));
	}

	private static Node redisson(String url, Duration commandTimeout) {
		Config config = new Config();
		config.useSingleServer().setAddress(url).setTimeout((int) commandTimeout.toMillis());
		RedissonClient client = Redisson.create(config);
		return new Node(new RedissonLockProvider(client), () -> client.shutdown(0, 5, TimeUnit.SECONDS));
	}

	private static Node jdbc(List<String> arguments, Duration commandTimeout) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(arguments.get(3));
		pool.setUsername(arguments.get(4));
		pool.setPassword(arguments.get(5));
		pool.setMaximumPoolSize(30);
		pool.setConnectionTimeout(commandTimeout.toMillis());
		pool.setInitializationFailTimeout(-1);
		JdbcLockSettings settings = JdbcLockSettings.of(JdbcDialect.valueOf(arguments.get(2)))
			.withStrategy(JdbcLockStrategy.valueOf(arguments.get(1)))
			.withMaxLockConnections(24);
		return new Node(JdbcLocks.provider(pool, settings), pool);
	}

}
