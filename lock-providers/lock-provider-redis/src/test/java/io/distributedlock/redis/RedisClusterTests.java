package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.contract.RedisClusterContract;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisClusterTests extends RedisClusterContract {

	private static RedisClusterClient client;

	@BeforeAll
	static void connect() {
		client = RedisClusterClient.create(Clients.resources(), RedisURI.create(cluster().servers().get(0).url()));
	}

	@AfterAll
	static void disconnect() {
		Clients.shutdown(client);
	}

	@Override
	protected LockProvider provider() {
		return new RedisLockProvider(client, Patience.LIMIT);
	}

	@Test
	void exactKeyIsThatOfALockByHandOnEachNode() {
		try (LockProvider provider = provider();
				DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build();
				StatefulRedisClusterConnection<String, String> connection = client.connect()) {
			RedisAdvancedClusterCommands<String, String> redis = connection.sync();
			for (int i = 0; i < 6; i++) {
				String key = "{tenant" + i + "}:订单";
				LockRequest request = LockRequest.ofExactKey(key).withWaitTime(Duration.ZERO);
				assertThat(redis.set(key, "by hand", SetArgs.Builder.nx().px(60_000))).isEqualTo("OK");
				assertThat(template.tryAcquire(request)).isEmpty();
				assertThat(redis.del(key)).isEqualTo(1);
				template.execute(request,
						() -> assertThat(redis.set(key, "by hand", SetArgs.Builder.nx().px(60_000))).isNull());
			}
		}
	}

	@Test
	void nodeThatIsDownIsAnOutageAndNotContention() {
		Clients.assertOutageIsToldEarly(client, cluster().primaryOf("k"), "k");
		cluster().awaitServing();
	}

	@Override
	protected void writeFenced(String key, String value, long token) {
		try (RedisFencedResource resource = new RedisFencedResource(client, Patience.LIMIT)) {
			resource.set(key, value, token);
		}
	}

}
