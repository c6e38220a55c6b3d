package io.distributedlock.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.redisson.RedissonLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * How often a lock without contention can be acquired and released. The benchmark starts
 * a Redis for it. Each thread uses its own key; {@code -t 16} runs 16 threads.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class CycleBenchmark {

	private static final String DELETE_OWN = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

	/**
	 * The least that a lock on Redis can cost: {@code SET NX PX}, and a script that
	 * deletes the key if its value is still the owner's.
	 */
	@Benchmark
	public void lettuceByHand(Clients clients, Key key) {
		RedisCommands<String, String> redis = clients.connection.sync();
		redis.set(key.name, key.name, SetArgs.Builder.nx().px(30_000));
		redis.eval(DELETE_OWN, ScriptOutputType.INTEGER, new String[] { key.name }, key.name);
	}

	/**
	 * Redisson's lock with a lease, without this library.
	 */
	@Benchmark
	@SuppressWarnings("LockNotBeforeTry")
	public void redissonByHand(Clients clients, Key key) {
		RLock lock = clients.redisson.getLock(key.name);
		lock.lock(30, TimeUnit.SECONDS);
		lock.unlock();
	}

	/**
	 * Redisson's fenced lock with a lease, which the provider {@code redisson} uses.
	 */
	@Benchmark
	public long redissonFencedByHand(Clients clients, Key key) {
		var lock = clients.redisson.getFencedLock(key.name);
		long token = lock.lockAndGetToken(30, TimeUnit.SECONDS);
		lock.unlock();
		return token;
	}

	/**
	 * The template on the provider {@code redis}.
	 */
	@Benchmark
	public void redis(Clients clients, Key key) {
		clients.onLettuce.acquire(key.request).close();
	}

	/**
	 * The template on the provider {@code redisson}.
	 */
	@Benchmark
	public void redisson(Clients clients, Key key) {
		clients.onRedisson.acquire(key.request).close();
	}

	/**
	 * A server and its clients.
	 */
	@State(Scope.Benchmark)
	public static class Clients {

		private final RedisTestServer server = RedisTestServer.run();

		private final RedisClient lettuce = RedisClient.create(this.server.url());

		final StatefulRedisConnection<String, String> connection = this.lettuce.connect();

		final RedissonClient redisson = Redisson.create(config(this.server.url()));

		final DefaultLockTemplate onLettuce = template(new RedisLockProvider(this.lettuce, Duration.ofSeconds(3)));

		final DefaultLockTemplate onRedisson = template(new RedissonLockProvider(this.redisson));

		/**
		 * Close the clients and the server.
		 */
		@TearDown
		public void close() {
			this.onLettuce.close();
			this.onRedisson.close();
			this.redisson.shutdown();
			this.lettuce.shutdown();
			this.server.close();
		}

		private static DefaultLockTemplate template(LockProvider provider) {
			return DefaultLockTemplate.builder().provider(provider).keyPrefix("shop:lock").build();
		}

		private static Config config(String url) {
			Config config = new Config();
			config.useSingleServer().setAddress(url);
			return config;
		}

	}

	/**
	 * The key of one thread.
	 */
	@State(Scope.Thread)
	public static class Key {

		private static final AtomicInteger count = new AtomicInteger();

		final String name = "order:" + count.incrementAndGet();

		final LockRequest request = LockRequest.of(this.name).withLeaseTime(Duration.ofSeconds(30));

	}

}
