package io.distributedlock.autoconfigure.cache;

import java.util.Properties;

import javax.cache.configuration.MutableConfiguration;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.jcache.JCachingProvider;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.JCacheManagerCustomizer;
import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Redisson's caches are made for those who choose them, as Spring Boot makes them.
 */
class RedissonCachesAutoConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(CacheAutoConfiguration.class, RedissonCachesAutoConfiguration.class));

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

	/**
	 * As on Boot 3 without spring-context-support, where caches of Caffeine need more,
	 * too.
	 */
	@Test
	void nothingIsChosenWhereBootHasNoJCache() {
		this.application.withUserConfiguration(Cached.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.cache.jcache.JCacheCacheManager"))
			.run((context) -> {
				assertThat(context).getBean(CacheManager.class).isInstanceOf(ConcurrentMapCacheManager.class);
				assertThat(context.getEnvironment().getProperty("spring.cache.type")).isNull();
			});
	}

	/**
	 * As where Boot may choose a type of caches that this library does not know well.
	 */
	@Test
	void cachesThatNobodyChoseAreRefused() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CacheAutoConfiguration.class, RefusalAlone.class))
			.withUserConfiguration(Cached.class)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidLockSetupException.class, (refusal) -> {
					assertThat(refusal).hasMessageContaining("would become Redisson's");
					assertThat(refusal.getAction()).contains("spring.cache.type");
				}));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "spring.cache.type=jcache", "spring.cache.jcache.provider=org.redisson.jcache.JCachingProvider",
					"spring.cache.jcache.config=classpath:caches.yaml" })
	void propertyChoosesThem(String property) {
		this.application.withPropertyValues(property)
			.run((context) -> assertThatNoException().isThrownBy(() -> customize(context)));
	}

	@Test
	void configurationOfCachesChoosesThem() {
		this.application.withBean(MutableConfiguration.class)
			.run((context) -> assertThatNoException().isThrownBy(() -> customize(context)));
	}

	@Test
	void whoeverCreatesCachesChoosesThem() {
		this.application.withBean(JCacheManagerCustomizer.class, () -> (caches) -> {
		}).run((context) -> assertThatNoException().isThrownBy(() -> customize(context)));
	}

	@Test
	void beanOfAParentChoosesThem() {
		new ApplicationContextRunner().withBean(MutableConfiguration.class)
			.run((parent) -> this.application.withParent(parent)
				.run((context) -> assertThatNoException().isThrownBy(() -> customize(context))));
	}

	/**
	 * As with Spring AOT, which has fixed JCache in the build.
	 */
	@Test
	void otherTypeThatComesTooLateIsNoChoice() {
		this.application.withPropertyValues("spring.cache.type=simple")
			.run((context) -> assertThatExceptionOfType(InvalidLockSetupException.class)
				.isThrownBy(() -> customize(context)));
	}

	@Test
	void otherCachesAreNotTouched() {
		this.application.withUserConfiguration(Cached.class)
			.withPropertyValues("spring.cache.type=simple")
			.run((context) -> assertThat(context).hasNotFailed());
		this.application.withClassLoader(new FilteredClassLoader(JCachingProvider.class))
			.run((context) -> assertThat(context).doesNotHaveBean(JCachePropertiesCustomizer.class));
	}

	private static void customize(ApplicationContext context) {
		context.getBean(JCachePropertiesCustomizer.class).customize(new Properties());
	}

	@Configuration(proxyBeanMethods = false)
	static class RefusalAlone {

		@Bean
		JCachePropertiesCustomizer refusal(Environment environment, ListableBeanFactory beans) {
			RedissonCaches caches = new RedissonCaches(environment, beans);
			return (properties) -> caches.requireChosen();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Cached {

	}

}
