package io.distributedlock.autoconfigure.cache;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration that keeps the caches of an application what they were before this
 * library brought Redisson, which is a JCache provider. If the application has the JCache
 * API and no other provider, Boot makes the caches that come next. An application that
 * has Redisson's own starter has chosen Redisson itself.
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
@Import(CacheTypeChoice.class)
public final class RedissonCachesAutoConfiguration {

	private RedissonCachesAutoConfiguration() {
	}

}
