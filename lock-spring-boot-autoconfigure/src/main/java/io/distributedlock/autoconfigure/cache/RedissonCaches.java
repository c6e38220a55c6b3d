package io.distributedlock.autoconfigure.cache;

import java.util.List;

import javax.cache.Caching;
import javax.cache.configuration.Configuration;

import io.distributedlock.annotation.InvalidLockSetupException;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Whether an application gives a sign that it wants its caches to be Redisson's.
 *
 * @param environment its properties
 * @param beans its beans
 */
record RedissonCaches(Environment environment, ListableBeanFactory beans) {

	/**
	 * Boot's property for the type of the caches.
	 */
	static final String TYPE = "spring.cache.type";

	private static final List<String> CHOICES = List.of(JCacheProviderListener.PROPERTY, "spring.cache.jcache.config");

	/**
	 * Of Spring Boot 4 and of 3.
	 */
	private static final List<String> CUSTOMIZERS = List.of(
			"org.springframework.boot.cache.autoconfigure.JCacheManagerCustomizer",
			"org.springframework.boot.autoconfigure.cache.JCacheManagerCustomizer");

	boolean areChosen() {
		// another type is chosen too late, if Spring AOT has fixed JCache in the build
		return "jcache".equalsIgnoreCase(this.environment.getProperty(TYPE))
				|| CHOICES.stream().anyMatch(this.environment::containsProperty)
				|| getClass().getClassLoader().getResource(JCacheProviderListener.REDISSON_CACHES_FILE) != null
				|| hasBean(Configuration.class) || CUSTOMIZERS.stream().anyMatch(this::hasBean);
	}

	/**
	 * Refuse to make caches of Redisson for an application that gives no sign of wanting
	 * them, and for which {@link CacheTypeChoice} found no others. Redisson's caches have
	 * no configuration then, so that they could not even be used.
	 */
	void requireChosen() {
		// the provider that Boot takes if none is named
		if (!areChosen() && Caching.getCachingProvider().getClass().getName().equals(JCacheProviderListener.REDISSON)) {
			throw new InvalidLockSetupException(
					"The caches of this application would become Redisson's: it has the JCache API (javax.cache:cache-api) "
							+ "and no provider of it but Redisson, which is here for the locks.",
					"Set spring.cache.type to the caches that you want, such as simple, caffeine or redis. "
							+ "Or remove javax.cache:cache-api, if nothing needs it. "
							+ "If you want Redisson's caches, set spring.cache.type=jcache.",
					null);
		}
	}

	/**
	 * Return whether there is a bean of a type, which may be missing.
	 */
	boolean hasBean(String type) {
		ClassLoader classLoader = getClass().getClassLoader();
		return ClassUtils.isPresent(type, classLoader) && hasBean(ClassUtils.resolveClassName(type, classLoader));
	}

	boolean hasBean(Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, type, true, false).length > 0;
	}

}
