package io.distributedlock.application;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.example.shop.report.ApplicationJvm;
import com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider;
import com.typesafe.config.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Caches stay what they would be without Redisson, which is a JCache provider. That they
 * stay Redis's is part of {@link NothingElseChangesTests}. Each case starts the
 * application once or twice, so only the long command runs them.
 */
// several applications start, one after the other
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "lock.test.one-generation", matches = "false")
class CachesTests {

	private static final String WITHOUT_REDIS = "--spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,org.springframework.boot.data.redis.autoconfigure.DataRedisRepositoriesAutoConfiguration,org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration";

	/**
	 * Lazy, as the caches do not need most of the application.
	 */
	private final ApplicationJvm application = ApplicationJvm.of("redisson-application")
		.with(WITHOUT_REDIS, "--spring.main.lazy-initialization=true");

	@Test
	void caffeine() {
		assertThat(caches(this.application)).isEqualTo("org.springframework.cache.caffeine.CaffeineCacheManager true");
	}

	@Test
	void simple() {
		assertThat(caches(this.application.withoutJars((jar) -> jar.startsWith("caffeine"))))
			.isEqualTo("org.springframework.cache.concurrent.ConcurrentMapCacheManager true");
	}

	@Test
	void none() {
		assertThat(caches(this.application.with("--spring.cache.type=none")))
			.isEqualTo("org.springframework.cache.support.NoOpCacheManager true");
	}

	@Test
	void jcacheOfAnotherProvider() {
		Set<String> report = this.application
			.withJarsOf(javax.cache.Caching.class, CaffeineCachingProvider.class, Config.class)
			.with("--spring.cache.cache-names=prices")
			.report();
		assertThat(report).contains("cache org.springframework.cache.jcache.JCacheCacheManager true",
				"jcache com.github.benmanes.caffeine.jcache.CacheManagerImpl");
	}

	@Test
	void jcacheApiAloneNeedsTheTypeOfTheCaches() {
		assertThat(caches(this.application.withJarsOf(javax.cache.Caching.class).with("--spring.cache.type=caffeine")))
			.isEqualTo("org.springframework.cache.caffeine.CaffeineCacheManager true");
	}

	@Test
	void jcacheApiAloneChangesNothing() {
		ApplicationJvm withApi = this.application.withJarsOf(javax.cache.Caching.class);
		assertThat(caches(withApi)).isEqualTo("org.springframework.cache.caffeine.CaffeineCacheManager true");
		assertThat(caches(withApi.withoutJars((jar) -> jar.startsWith("caffeine"))))
			.isEqualTo("org.springframework.cache.concurrent.ConcurrentMapCacheManager true");
	}

	private static String caches(ApplicationJvm jvm) {
		return jvm.report()
			.stream()
			.filter((line) -> line.startsWith("cache "))
			.map((line) -> line.substring("cache ".length()))
			.findFirst()
			.orElseThrow();
	}

}
