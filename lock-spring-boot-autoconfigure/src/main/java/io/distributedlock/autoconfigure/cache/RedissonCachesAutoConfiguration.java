package io.distributedlock.autoconfigure.cache;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that keeps the caches of an application what they were before this
 * library brought Redisson, which is a JCache provider. If the application has the JCache
 * API and no other provider, Boot makes the caches that come next. Where that cannot be
 * told, and nobody has chosen Redisson's caches, the application does not start and the
 * developer is told what to set. An application that has Redisson's own starter has
 * chosen Redisson itself.
 *
 * @since 0.1
 */
@AutoConfiguration(
		beforeName = { "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration",
				"org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration" },
		// their connection factory decides whether caches are Redis's
		afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnClass(name = JCacheProviderListener.REDISSON)
@ConditionalOnMissingClass(JCacheProviderListener.REDISSON_STARTER)
public final class RedissonCachesAutoConfiguration {

	private RedissonCachesAutoConfiguration() {
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JCachePropertiesCustomizer.class)
	@Import(CacheTypeChoice.class)
	static class Boot4 {

		// Boot calls it only if it makes the caches of JCache
		@Bean
		JCachePropertiesCustomizer distributedLockUnchosenRedissonCaches(Environment environment,
				ListableBeanFactory beans) {
			RedissonCaches caches = new RedissonCaches(environment, beans);
			return (properties) -> caches.requireChosen();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(org.springframework.boot.autoconfigure.cache.JCachePropertiesCustomizer.class)
	@Import(CacheTypeChoice.class)
	static class Boot3 {

		@Bean
		org.springframework.boot.autoconfigure.cache.JCachePropertiesCustomizer distributedLockUnchosenRedissonCaches(
				Environment environment, ListableBeanFactory beans) {
			RedissonCaches caches = new RedissonCaches(environment, beans);
			return (properties) -> caches.requireChosen();
		}

	}

}
