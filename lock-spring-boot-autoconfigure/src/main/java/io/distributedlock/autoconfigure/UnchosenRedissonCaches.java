package io.distributedlock.autoconfigure;

import java.util.Properties;

import javax.cache.Caching;

import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;

/**
 * Refuses to make caches of Redisson for an application that gives no sign of wanting
 * them, and for which {@link CacheTypeChoice} found no others. Redisson's caches have no
 * configuration then, so that they could not even be used.
 *
 * @param caches what the application wants
 */
record UnchosenRedissonCaches(RedissonCaches caches) implements JCachePropertiesCustomizer {

	/**
	 * Refuse, before Boot makes the caches.
	 * @param properties is not changed
	 */
	@Override
	public void customize(Properties properties) {
		if (!this.caches.areChosen() && isRedisson()) {
			throw new LockConfigurationException(
					"The caches of this application would become Redisson's: it has the JCache API (javax.cache:cache-api) "
							+ "and no provider of it but Redisson, which is here for the locks.",
					"Set spring.cache.type to the caches that you want, such as simple, caffeine or redis. "
							+ "Or remove javax.cache:cache-api, if nothing needs it. "
							+ "If you want Redisson's caches, set spring.cache.type=jcache.",
					null);
		}
	}

	/**
	 * Return whether Redisson is the provider that Boot takes if none is named.
	 */
	private static boolean isRedisson() {
		return Caching.getCachingProvider().getClass().getName().equals(JCacheEnvironmentPostProcessor.REDISSON);
	}

}
