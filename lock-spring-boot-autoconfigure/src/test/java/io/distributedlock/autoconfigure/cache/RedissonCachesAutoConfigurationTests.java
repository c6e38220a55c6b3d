package io.distributedlock.autoconfigure.cache;

import javax.cache.configuration.MutableConfiguration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.jcache.JCachingProvider;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.JCacheManagerCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redisson's caches are made for those who choose them, as Spring Boot makes them.
 */
class RedissonCachesAutoConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(CacheAutoConfiguration.class, RedissonCachesAutoConfiguration.class));

	/**
	 * Tells the choice by the property alone.
	 */
	private final ApplicationContextRunner withoutCaches = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedissonCachesAutoConfiguration.class))
		.withBean(CacheInterceptor.class, CacheInterceptor::new, (definition) -> definition.setLazyInit(true));

	@Test
	void cachesStayWhatTheyWere() {
		this.application.withUserConfiguration(Cached.class)
			.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).getBean(CacheManager.class)
				.isInstanceOf(ConcurrentMapCacheManager.class));
		this.application.withUserConfiguration(Cached.class)
			.withBean(RedisConnectionFactory.class, LettuceConnectionFactory::new)
			.run((context) -> assertThat(context).getBean(CacheManager.class).isInstanceOf(RedisCacheManager.class));
		this.application.withUserConfiguration(Cached.class)
			.withBean(Cache.class, () -> new ConcurrentMapCache("own"))
			.run((context) -> assertThat(context).getBean(CacheManager.class).isInstanceOf(SimpleCacheManager.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.cache.jcache.provider=org.redisson.jcache.JCachingProvider",
			"spring.cache.jcache.config=classpath:caches.yaml" })
	void propertyChoosesThem(String property) {
		this.withoutCaches.withPropertyValues(property).run((context) -> assertThat(type(context)).isNull());
	}

	@Test
	void configurationOfCachesChoosesThem() {
		this.withoutCaches.withBean(MutableConfiguration.class).run((context) -> assertThat(type(context)).isNull());
	}

	@Test
	void whoeverCreatesCachesChoosesThem() {
		this.withoutCaches.withBean(JCacheManagerCustomizer.class, () -> (caches) -> {
		}).run((context) -> assertThat(type(context)).isNull());
	}

	@Test
	void beanOfAParentChoosesThem() {
		new ApplicationContextRunner().withBean(MutableConfiguration.class)
			.run((parent) -> this.withoutCaches.withParent(parent)
				.run((context) -> assertThat(type(context)).isNull()));
	}

	@Test
	void typeIsNamedIfNobodyChoseThem() {
		this.withoutCaches.run((context) -> assertThat(type(context)).isEqualTo("simple"));
	}

	@Test
	void otherCachesAreNotTouched() {
		this.withoutCaches.withPropertyValues("spring.cache.type=caffeine")
			.run((context) -> assertThat(type(context)).isEqualTo("caffeine"));
		this.withoutCaches.withClassLoader(new FilteredClassLoader(JCachingProvider.class))
			.run((context) -> assertThat(type(context)).isNull());
	}

	private static @Nullable String type(ApplicationContext context) {
		return context.getEnvironment().getProperty("spring.cache.type");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Cached {

	}

}
