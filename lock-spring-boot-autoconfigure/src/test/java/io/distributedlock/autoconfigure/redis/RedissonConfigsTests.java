package io.distributedlock.autoconfigure.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedissonConfigsTests {

	@Test
	void defaultsAreTheLocalServer() {
		SingleServerConfig server = single(config());
		assertThat(server.getAddress()).isEqualTo("redis://localhost:6379");
		assertThat(server.getDatabase()).isZero();
		assertThat(server.getTimeout()).isEqualTo(2000);
		assertThat(server.getPingConnectionInterval()).isEqualTo(3000);
		assertThat(config().isLazyInitialization()).isTrue();
	}

	@Test
	void singleServerIsBound() {
		Config config = config("host", "redis.shop", "port", "6380", "username", "shop", "password", "s3cret",
				"database", "3", "timeout", "700ms", "connect-timeout", "1s", "client-name", "locks");
		SingleServerConfig server = single(config);
		assertThat(server.getAddress()).isEqualTo("redis://redis.shop:6380");
		assertThat(server.getDatabase()).isEqualTo(3);
		assertThat(server.getTimeout()).isEqualTo(700);
		assertThat(server.getConnectTimeout()).isEqualTo(1000);
		assertThat(server.getClientName()).isEqualTo("locks");
		assertThat(config.getUsername()).isEqualTo("shop");
		assertThat(config.getPassword()).isEqualTo("s3cret");
	}

	@Test
	void urlOverridesTheRest() {
		Config config = config("host", "ignored", "url", "rediss://shop:p:w@redis.shop:6390/5");
		SingleServerConfig server = single(config);
		assertThat(server.getAddress()).isEqualTo("rediss://redis.shop:6390");
		assertThat(server.getDatabase()).isEqualTo(5);
		assertThat(config.getUsername()).isEqualTo("shop");
		assertThat(config.getPassword()).isEqualTo("p:w");
	}

	/**
	 * As Spring Boot does it: with another database the locks of this client and those of
	 * Lettuce would not exclude each other.
	 */
	@Test
	void urlOverridesWhatItLeavesOut() {
		Config config = config("url", "redis://redis.shop", "username", "shop", "password", "s3cret", "database", "3",
				"ssl.enabled", "true");
		assertThat(single(config).getAddress()).isEqualTo("rediss://redis.shop:6379");
		assertThat(single(config).getDatabase()).isZero();
		assertThat(config.getUsername()).isNull();
		assertThat(config.getPassword()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://shop:s3cret@redis.shop", "redis://shop:s3cret word@redis.shop",
			"redis://shop:s3cret@redis.shop/first", "redis-sentinel://shop:s3cret@s1:26379#primary" })
	void malformedUrlIsRefusedWithoutShowingIt(String url) {
		assertThatExceptionOfType(InvalidLockSetupException.class).isThrownBy(() -> config("url", url))
			.withMessageContaining("spring.data.redis.url")
			.satisfies((ex) -> assertThat(ex).hasNoCause())
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("s3cret"));
	}

	@Test
	void sentinelIsBound() {
		Config config = config("sentinel.master", "shop", "sentinel.nodes", "s1:26379,s2:26379", "sentinel.password",
				"sentinel-secret", "database", "2");
		assertThat(config.isSentinelConfig()).isTrue();
		assertThat(config.useSentinelServers().getMasterName()).isEqualTo("shop");
		assertThat(config.useSentinelServers().getSentinelAddresses()).containsExactly("redis://s1:26379",
				"redis://s2:26379");
		assertThat(config.useSentinelServers().getSentinelPassword()).isEqualTo("sentinel-secret");
		assertThat(config.useSentinelServers().getDatabase()).isEqualTo(2);
	}

	@Test
	void clusterIsBound() {
		Config config = config("cluster.nodes", "c1:7000,c2:7001", "ssl.enabled", "true");
		assertThat(config.isClusterConfig()).isTrue();
		assertThat(config.useClusterServers().getNodeAddresses()).containsExactly("rediss://c1:7000",
				"rediss://c2:7001");
	}

	@Test
	void sslBundleIsBound() {
		SslBundle bundle = SslBundle.of(SslStoreBundle.NONE, null, SslOptions.of(null, new String[] { "TLSv1.3" }));
		Config config = RedissonConfigs.fromTopology(
				RedisTopologies.of(new DefaultSslBundleRegistry("redis", bundle), "ssl.bundle", "redis"),
				Duration.ofSeconds(3));
		assertThat(single(config).getAddress()).startsWith("rediss://");
		assertThat(config.getSslProtocols()).containsExactly("TLSv1.3");
		assertThat(config.getSslTrustManagerFactory()).isNotNull();
	}

	@Test
	void yamlIsReadAndAnInvalidOneIsExplained() {
		Config config = RedissonConfigs.fromYaml(new ByteArrayResource(
				"singleServerConfig:\n  address: redis://yaml:1234\n".getBytes(StandardCharsets.UTF_8)));
		assertThat(single(config).getAddress()).isEqualTo("redis://yaml:1234");
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> RedissonConfigs
				.fromYaml(new ByteArrayResource("nonsense: [".getBytes(StandardCharsets.UTF_8), "my.yaml")))
			.withMessageContaining("my.yaml");
	}

	private static SingleServerConfig single(Config config) {
		return (SingleServerConfig) ReflectionTestUtils.getField(config, "singleServerConfig");
	}

	private static Config config(String... pairs) {
		return RedissonConfigs.fromTopology(RedisTopologies.of(pairs), Duration.ofSeconds(3));
	}

}
