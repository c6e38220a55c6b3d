package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that stops the start of an application whose caches would become
 * Redisson's though nobody has chosen that: it has the JCache API and no other provider,
 * and this library brings Redisson. Spring Boot leaves no way to keep the caches that the
 * application had before. An application that has Redisson's own starter has chosen
 * Redisson itself.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass(value = JCachePropertiesCustomizer.class, name = JCacheEnvironmentPostProcessor.REDISSON)
@ConditionalOnMissingClass(JCacheEnvironmentPostProcessor.REDISSON_STARTER)
public final class RedissonCachesAutoConfiguration {

	// Boot calls it only if it makes the caches of JCache
	@Bean
	JCachePropertiesCustomizer unchosenRedissonCaches(Environment environment, ListableBeanFactory beans) {
		return new UnchosenRedissonCaches(environment, beans);
	}

}
