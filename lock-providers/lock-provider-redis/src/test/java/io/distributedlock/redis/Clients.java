package io.distributedlock.redis;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients of Lettuce that share their threads.
 */
final class Clients {

	private static final ClientResources RESOURCES = DefaultClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.build();

	private static final AtomicBoolean FIRST = new AtomicBoolean(true);

	private Clients() {
	}

	static ClientResources resources() {
		return RESOURCES;
	}

	static RedisClient client(String url) {
		return client(RESOURCES, url);
	}

	static RedisClient client(ClientResources resources, String url) {
		RedisClient client = RedisClient.create(resources, url);
		if (FIRST.compareAndSet(true, false)) {
			loadClasses(client);
		}
		return client;
	}

	/**
	 * Connect once in each JVM: on a busy machine that takes longer than the time-outs of
	 * tests, and none of them is about it.
	 */
	private static void loadClasses(RedisClient client) {
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().ping();
		}
		catch (RedisException ex) {
			// such as a server that is down: the classes are loaded all the same
		}
	}

	/**
	 * Return whether a key is a counter of tokens, which outlives all leases.
	 */
	static boolean isCounter(String key) {
		return key.matches("lock:\\{~\\w*}");
	}

	static void shutdown(AbstractRedisClient client) {
		client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
	}

	/**
	 * Kill a server, and check that a call says so when its connection has ended, without
	 * waiting for an answer.
	 * @param key is on that server
	 */
	static void assertOutageIsToldEarly(AbstractRedisClient client, RedisTestServer server, String key) {
		List<RedisChannelHandler<?, ?>> connections = new CopyOnWriteArrayList<>();
		client.addListener(new RedisConnectionStateAdapter() {
			@Override
			public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
				if (((InetSocketAddress) address).getPort() == server.port()) {
					connections.add(connection);
				}
				else {
					// in a cluster a connection may go on with another node
					connections.remove(connection);
				}
			}
		});
		LockRequest request = LockRequest.ofExactKey(key).withWaitTime(Duration.ZERO);
		try (RedisLockProvider provider = new RedisLockProvider(client, Patience.LIMIT);
				DefaultLockTemplate template = DefaultLockTemplate.builder()
					.provider(provider)
					.commandTimeout(Patience.LIMIT)
					.build()) {
			template.acquire(request).close();
			assertThat(connections).isNotEmpty();
			server.kill();
			try {
				Patience.await("end of the connection")
					.until(() -> connections.stream().noneMatch(RedisChannelHandler::isOpen));
				assertThat(template.acquireAsync(request)).failsWithin(Patience.LIMIT.dividedBy(2))
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class)
					.withMessageContaining("cannot be reached");
			}
			finally {
				server.start();
			}
			// the client reconnects by itself
			template.acquire(request.withWaitTime(Patience.LIMIT)).close();
		}
	}

	static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
