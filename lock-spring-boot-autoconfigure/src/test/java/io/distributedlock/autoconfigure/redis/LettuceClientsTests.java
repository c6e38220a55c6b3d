package io.distributedlock.autoconfigure.redis;

import java.time.Duration;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LettuceClientsTests {

	@Test
	void tlsOfThePropertiesIsAddedToTheUrl() {
		assertThat(uri("url", "redis://redis.shop", "ssl.enabled", "true").isSsl()).isTrue();
		assertThat(uri("url", "redis://redis.shop").isSsl()).isFalse();
		assertThat(uri("url", "rediss://redis.shop").isSsl()).isTrue();
		assertThat(uri("host", "redis.shop", "ssl.enabled", "true").isSsl()).isTrue();
	}

	@Test
	void tlsOfThePropertiesIsAddedToTheSentinelsOfTheUrl() {
		RedisURI uri = uri("url", "redis-sentinel://one:26379,two:26379#primary", "ssl.enabled", "true");
		assertThat(uri.getSentinels()).hasSize(2).allMatch(RedisURI::isSsl);
		assertThat(uri.isSsl()).isTrue();
	}

	@Test
	void urlOverridesWhatItLeavesOut() {
		RedisURI uri = uri("url", "redis://redis.shop", "password", "s3cret", "database", "3");
		assertThat(uri.getDatabase()).isZero();
		assertThat(uri.getCredentialsProvider().resolveCredentials().block().hasPassword()).isFalse();
		assertThat(credentials(uri("url", "redis://own:w0rd@redis.shop/3", "username", "shop", "password", "s3cret")))
			.isEqualTo("own/w0rd");
	}

	private static String credentials(RedisURI uri) {
		RedisCredentials credentials = uri.getCredentialsProvider().resolveCredentials().block();
		return credentials.getUsername() + "/" + new String(credentials.getPassword());
	}

	@Test
	void propertiesReachTheSentinelsAndTheirMaster() {
		RedisURI uri = uri("sentinel.master", "shop", "sentinel.nodes", "s1:26379,s2:26379", "sentinel.password",
				"sentinel-secret", "password", "s3cret", "database", "2", "client-name", "locks", "ssl.enabled",
				"true");
		assertThat(uri.getSentinelMasterId()).isEqualTo("shop");
		assertThat(uri.getDatabase()).isEqualTo(2);
		assertThat(uri.getClientName()).isEqualTo("locks");
		assertThat(credentials(uri)).isEqualTo("null/s3cret");
		assertThat(uri.getSentinels()).extracting(RedisURI::getHost).containsExactly("s1", "s2");
		assertThat(uri.getSentinels()).allSatisfy((sentinel) -> {
			assertThat(sentinel.getPort()).isEqualTo(26379);
			assertThat(sentinel.isSsl()).isTrue();
			assertThat(credentials(sentinel)).isEqualTo("null/sentinel-secret");
		});
	}

	@Test
	@SuppressWarnings("unchecked")
	void propertiesReachTheNodesOfTheCluster() {
		RedisTopology topology = RedisTopologies.of("cluster.nodes", "c1:7000,c2:7001", "username", "shop", "password",
				"s3cret", "ssl.enabled", "true");
		try (AbstractRedisClient client = LettuceClients.fromTopology(topology, Duration.ofSeconds(3))) {
			assertThat(client).isInstanceOf(RedisClusterClient.class);
			Iterable<RedisURI> nodes = (Iterable<RedisURI>) ReflectionTestUtils.getField(client, "initialUris");
			assertThat(nodes).extracting(RedisURI::getHost).containsExactly("c1", "c2");
			assertThat(nodes).extracting(RedisURI::getPort).containsExactly(7000, 7001);
			assertThat(nodes).allSatisfy((node) -> {
				assertThat(node.isSsl()).isTrue();
				assertThat(credentials(node)).isEqualTo("shop/s3cret");
			});
		}
	}

	@Test
	void malformedUrlIsRefusedWithoutShowingIt() {
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> uri("url", "http://shop:s3cret@redis.shop"))
			.withMessageContaining("spring.data.redis.url")
			.satisfies((ex) -> assertThat(ex).hasNoCause())
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("s3cret"));
	}

	private static RedisURI uri(String... pairs) {
		try (RedisClient client = (RedisClient) LettuceClients.fromTopology(RedisTopologies.of(pairs),
				Duration.ofSeconds(3))) {
			return (RedisURI) ReflectionTestUtils.getField(client, "redisURI");
		}
	}

}
