package io.distributedlock.autoconfigure.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.distributedlock.autoconfigure.LockConfigurationException;
import org.junit.jupiter.api.Test;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

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

	@Test
	void malformedUrlIsRefusedWithoutShowingIt() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> config("url", "http://shop:s3cret@redis.shop"))
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
		Config config = RedissonConfigs.fromSettings(settings("ssl.bundle", "redis"), Duration.ofSeconds(3),
				bundles(new DefaultSslBundleRegistry("redis", bundle)));
		assertThat(single(config).getAddress()).startsWith("rediss://");
		assertThat(config.getSslProtocols()).containsExactly("TLSv1.3");
		assertThat(config.getSslTrustManagerFactory()).isNotNull();
	}

	@Test
	void yamlIsReadAndABadOneExplained() {
		Config config = RedissonConfigs.fromYaml(new ByteArrayResource(
				"singleServerConfig:\n  address: redis://yaml:1234\n".getBytes(StandardCharsets.UTF_8)));
		assertThat(single(config).getAddress()).isEqualTo("redis://yaml:1234");
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> RedissonConfigs
				.fromYaml(new ByteArrayResource("nonsense: [".getBytes(StandardCharsets.UTF_8), "my.yaml")))
			.withMessageContaining("my.yaml");
	}

	@Test
	void settingsDoNotShowSecrets() {
		assertThat(settings("password", "s3cret").toString()).doesNotContain("s3cret");
	}

	private static SingleServerConfig single(Config config) {
		return (SingleServerConfig) ReflectionTestUtils.getField(config, "singleServerConfig");
	}

	private static Config config(String... pairs) {
		return RedissonConfigs.fromSettings(settings(pairs), Duration.ofSeconds(3),
				bundles(new DefaultSslBundleRegistry()));
	}

	private static RedisSettings settings(String... pairs) {
		Map<String, String> properties = new HashMap<>();
		for (int i = 0; i < pairs.length; i += 2) {
			properties.put("spring.data.redis." + pairs[i], pairs[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("spring.data.redis",
				Bindable.of(RedisSettings.class));
	}

	@SuppressWarnings("unchecked")
	private static ObjectProvider<SslBundles> bundles(SslBundles bundles) {
		ObjectProvider<SslBundles> provider = mock();
		given(provider.getObject()).willReturn(bundles);
		return provider;
	}

}
