package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class LettuceClientsTests {

	@Test
	void tlsThatIsAskedForIsUsedWhateverTheUrlSays() {
		assertThat(uri("url", "redis://redis.shop", "ssl.enabled", "true").isSsl()).isTrue();
		assertThat(uri("url", "redis://redis.shop").isSsl()).isFalse();
		assertThat(uri("url", "rediss://redis.shop").isSsl()).isTrue();
		assertThat(uri("host", "redis.shop", "ssl.enabled", "true").isSsl()).isTrue();
	}

	@Test
	void tlsThatIsAskedForIsUsedForTheSentinelsOfTheUrl() {
		RedisURI uri = uri("url", "redis-sentinel://one:26379,two:26379#primary", "ssl.enabled", "true");
		assertThat(uri.getSentinels()).hasSize(2).allMatch(RedisURI::isSsl);
		assertThat(uri.isSsl()).isTrue();
	}

	@Test
	void credentialsBesideTheUrlAreUsedIfItHasNone() {
		assertThat(credentials(uri("url", "redis://redis.shop/3", "password", "s3cret"))).isEqualTo("null/s3cret");
		assertThat(credentials(uri("url", "redis://redis.shop", "username", "shop", "password", "s3cret")))
			.isEqualTo("shop/s3cret");
		assertThat(credentials(uri("url", "redis://own:w0rd@redis.shop", "username", "shop", "password", "s3cret")))
			.isEqualTo("own/w0rd");
		assertThat(uri("url", "redis://redis.shop/3", "password", "s3cret").getDatabase()).isEqualTo(3);
	}

	private static String credentials(RedisURI uri) {
		RedisCredentials credentials = uri.getCredentialsProvider().resolveCredentials().block();
		return credentials.getUsername() + "/" + new String(credentials.getPassword());
	}

	@SuppressWarnings("unchecked")
	private static RedisURI uri(String... settings) {
		Map<String, String> properties = new HashMap<>();
		for (int i = 0; i < settings.length; i += 2) {
			properties.put("redis." + settings[i], settings[i + 1]);
		}
		RedisSettings bound = new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("redis",
				Bindable.of(RedisSettings.class));
		try (RedisClient client = (RedisClient) LettuceClients.fromSettings(bound, Duration.ofSeconds(3),
				mock(ObjectProvider.class))) {
			return (RedisURI) ReflectionTestUtils.getField(client, "redisURI");
		}
	}

}
