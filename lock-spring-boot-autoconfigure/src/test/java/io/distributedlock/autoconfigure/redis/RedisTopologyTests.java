package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.connection.ServerAddress;
import io.distributedlock.autoconfigure.redis.RedisTopology.ByUrl;
import io.distributedlock.autoconfigure.redis.RedisTopology.Cluster;
import io.distributedlock.autoconfigure.redis.RedisTopology.Credentials;
import io.distributedlock.autoconfigure.redis.RedisTopology.Sentinels;
import io.distributedlock.autoconfigure.redis.RedisTopology.Single;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

class RedisTopologyTests {

	@Test
	void withoutPropertiesItIsTheLocalServer() {
		assertThat(RedisTopologies.of()).isEqualTo(new RedisTopology(new Single(new ServerAddress("localhost", 6379)),
				null, 0, false, null, null, null, null));
	}

	@Test
	void singleServer() {
		RedisTopology topology = RedisTopologies.of("host", "redis.shop", "port", "6380", "username", "shop",
				"password", "s3cret", "database", "3", "timeout", "700ms", "connect-timeout", "1s", "client-name",
				"locks", "ssl.enabled", "true");
		assertThat(topology).isEqualTo(
				new RedisTopology(new Single(new ServerAddress("redis.shop", 6380)), new Credentials("shop", "s3cret"),
						3, true, null, "locks", Duration.ofMillis(700), Duration.ofSeconds(1)));
	}

	@Test
	void sentinels() {
		RedisTopology topology = RedisTopologies.of("sentinel.master", "shop", "sentinel.nodes", "s1:26379,s2",
				"sentinel.username", "watcher", "sentinel.password", "w0rd", "database", "2");
		assertThat(topology.servers())
			.isEqualTo(new Sentinels("shop", List.of(new ServerAddress("s1", 26379), new ServerAddress("s2", 6379)),
					new Credentials("watcher", "w0rd")));
		assertThat(topology.credentials()).as("those of the sentinels are not those of Redis").isNull();
		assertThat(topology.database()).isEqualTo(2);
	}

	@Test
	void cluster() {
		assertThat(RedisTopologies.of("cluster.nodes", "c1:7000,c2:7001").servers())
			.isEqualTo(new Cluster(List.of(new ServerAddress("c1", 7000), new ServerAddress("c2", 7001))));
	}

	@Test
	void urlComesBeforeSentinelsAndTheseBeforeAClusterAndThatBeforeAHost() {
		String[] host = { "host", "redis.shop" };
		String[] cluster = { "host", "redis.shop", "cluster.nodes", "c1:7000" };
		String[] sentinels = { "host", "redis.shop", "cluster.nodes", "c1:7000", "sentinel.master", "shop",
				"sentinel.nodes", "s1:26379" };
		String[] url = { "host", "redis.shop", "cluster.nodes", "c1:7000", "sentinel.master", "shop", "sentinel.nodes",
				"s1:26379", "url", "redis://other.shop" };
		assertThat(RedisTopologies.of(host).servers()).isInstanceOf(Single.class);
		assertThat(RedisTopologies.of(cluster).servers()).isInstanceOf(Cluster.class);
		assertThat(RedisTopologies.of(sentinels).servers()).isInstanceOf(Sentinels.class);
		assertThat(RedisTopologies.of(url).servers()).isEqualTo(new ByUrl("redis://other.shop"));
	}

	@Test
	void emptyClusterDoesNotCount() {
		assertThat(RedisTopologies.of("cluster.nodes", "").servers()).isInstanceOf(Single.class);
	}

	@Test
	void emptyPasswordIsNone() {
		assertThat(RedisTopologies.of("username", "shop", "password", "").credentials()).isNull();
		assertThat(RedisTopologies.of("username", "", "password", "s3cret").credentials())
			.isEqualTo(new Credentials(null, "s3cret"));
	}

	@Test
	void tlsIsUsedIfAPropertyOrTheUrlAsksForIt() {
		assertThat(RedisTopologies.of("url", "rediss://redis.shop").tls()).isTrue();
		assertThat(RedisTopologies.of("url", "redis://redis.shop", "ssl.enabled", "true").tls()).isTrue();
		assertThat(RedisTopologies.of("url", "redis://redis.shop").tls()).isFalse();
	}

	@Test
	void bundleTurnsTlsOn() {
		SslBundle bundle = mock();
		RedisTopology topology = RedisTopologies.of(new DefaultSslBundleRegistry("redis", bundle), "ssl.bundle",
				"redis");
		assertThat(topology.tls()).isTrue();
		assertThat(topology.sslBundle()).isSameAs(bundle);
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> RedisTopologies.of("ssl.bundle", "missing"))
			.withMessageContaining("'missing'");
	}

	@Test
	void portThatIsNoNumberIsExplained() {
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> RedisTopologies.of("cluster.nodes", "c1:seven"))
			.withMessageContaining("spring.data.redis.cluster.nodes")
			.withMessageContaining("'c1:seven'");
	}

	@Test
	void secretsAreNotShown() {
		assertThat(RedisTopologies.of("password", "s3cret", "sentinel.master", "shop", "sentinel.nodes", "s1:26379",
				"sentinel.password", "s3cret"))
			.asString()
			.doesNotContain("s3cret");
		assertThat(RedisTopologies.of("url", "redis://:s3cret@redis.shop")).asString().doesNotContain("s3cret");
	}

}
