package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Properties;

import javax.cache.Caching;
import javax.cache.configuration.Configuration;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.cache.autoconfigure.JCacheManagerCustomizer;
import org.springframework.boot.cache.autoconfigure.JCachePropertiesCustomizer;
import org.springframework.core.env.Environment;

/**
 * Refuses to make caches of Redisson for an application that gives no sign of wanting
 * them. It would have had other caches without this library. Redisson's have no
 * configuration then, so that they could not even be used.
 */
final class UnchosenRedissonCaches implements JCachePropertiesCustomizer {

	private static final List<String> CHOICES = List.of(JCacheEnvironmentPostProcessor.PROPERTY,
			"spring.cache.jcache.config");

	private final Environment environment;

	private final ListableBeanFactory beans;

	UnchosenRedissonCaches(Environment environment, ListableBeanFactory beans) {
		this.environment = environment;
		this.beans = beans;
	}

	/**
	 * Refuse, before Boot makes the caches.
	 * @param properties is not changed
	 */
	@Override
	public void customize(Properties properties) {
		if (!isChosen() && isRedisson()) {
			throw new LockConfigurationException(
					"The caches of this application would become Redisson's: it has the JCache API (javax.cache:cache-api) "
							+ "and no provider of it but Redisson, which is here for the locks.",
					"Set spring.cache.type to the caches that you want, such as simple, caffeine or redis. "
							+ "Or remove javax.cache:cache-api, if nothing needs it. "
							+ "If you want Redisson's caches, set spring.cache.type=jcache.",
					null);
		}
	}

	private boolean isChosen() {
		// another type is chosen too late, if Spring AOT has fixed JCache in the build
		return "jcache".equalsIgnoreCase(this.environment.getProperty("spring.cache.type"))
				|| CHOICES.stream().anyMatch(this.environment::containsProperty)
				|| getClass().getClassLoader().getResource(JCacheEnvironmentPostProcessor.REDISSON_CACHES_FILE) != null
				|| hasBean(Configuration.class) || hasBean(JCacheManagerCustomizer.class);
	}

	private boolean hasBean(Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, type, true, false).length > 0;
	}

	/**
	 * Return whether Redisson is the provider that Boot takes if none is named.
	 */
	private static boolean isRedisson() {
		return Caching.getCachingProvider().getClass().getName().equals(JCacheEnvironmentPostProcessor.REDISSON);
	}

}
