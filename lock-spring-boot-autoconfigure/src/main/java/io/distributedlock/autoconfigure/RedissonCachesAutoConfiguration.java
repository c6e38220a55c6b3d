package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
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
@AutoConfiguration(before = CacheAutoConfiguration.class,
		// its connection factory decides whether caches are Redis's
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(value = JCachePropertiesCustomizer.class, name = JCacheEnvironmentPostProcessor.REDISSON)
@ConditionalOnMissingClass(JCacheEnvironmentPostProcessor.REDISSON_STARTER)
@Import(CacheTypeChoice.class)
public final class RedissonCachesAutoConfiguration {

	// Boot calls it only if it makes the caches of JCache
	@Bean
	JCachePropertiesCustomizer unchosenRedissonCaches(Environment environment, ListableBeanFactory beans) {
		return new UnchosenRedissonCaches(new RedissonCaches(environment, beans));
	}

}
