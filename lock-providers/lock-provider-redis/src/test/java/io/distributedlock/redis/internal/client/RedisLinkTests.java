package io.distributedlock.redis.internal.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.test.patience.Patience;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLinkTests {

	private static final ScriptCall CALL = new ScriptCall(PlainScripts.OWNERS, List.of("k"), List.of());

	/**
	 * The client is shut down after the connection was found to be open, as where an
	 * application is paused.
	 */
	@Test
	void clientForClustersThatIsShutDownAtThisMomentIsAFailureOfTheCall() {
		try (RedisLink link = new RedisLink(new ClientThatIsShutDown(), Duration.ofSeconds(5))) {
			// the first call waits for the connection, the second one finds it
			for (int i = 0; i < 2; i++) {
				CompletionStage<List<String>> answer = link.send(CALL);
				assertThat(answer).failsWithin(Patience.LIMIT);
				Throwable failure = answer.handle((value, reason) -> reason).toCompletableFuture().join();
				assertThat(RedisErrors.isRefusal(failure)).as("nothing was sent").isTrue();
				assertThat(RedisErrors.translate(failure).isRetryable()).isTrue();
			}
		}
	}

	/**
	 * A client whose connection counts as open, but has no connections to nodes any more.
	 */
	private static final class ClientThatIsShutDown extends RedisClusterClient {

		@Override
		@SuppressWarnings("unchecked")
		public <K, V> StatefulRedisClusterConnection<K, V> connect(RedisCodec<K, V> codec) {
			RedisClusterNode node = RedisClusterNode.of("node");
			node.setUri(RedisURI.create("redis://localhost"));
			node.setSlots(IntStream.range(0, 16384).boxed().toList());
			Partitions partitions = new Partitions();
			partitions.add(node);
			return (StatefulRedisClusterConnection<K, V>) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { StatefulRedisClusterConnection.class },
					(proxy, method, arguments) -> switch (method.getName()) {
						case "isOpen" -> true;
						case "getOptions" -> ClientOptions.create();
						case "getPartitions" -> partitions;
						case "getConnectionAsync" ->
							throw new RedisException(new IllegalStateException("ConnectionProvider is already closed"));
						case "closeAsync" -> CompletableFuture.completedFuture(null);
						default -> throw new UnsupportedOperationException(method.getName());
					});
		}

	}

}
