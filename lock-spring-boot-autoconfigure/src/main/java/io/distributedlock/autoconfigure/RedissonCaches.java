package io.distributedlock.autoconfigure;

import java.util.List;

import javax.cache.configuration.Configuration;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.cache.autoconfigure.JCacheManagerCustomizer;
import org.springframework.core.env.Environment;

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

	private static final List<String> CHOICES = List.of(JCacheEnvironmentPostProcessor.PROPERTY,
			"spring.cache.jcache.config");

	boolean areChosen() {
		// another type is chosen too late, if Spring AOT has fixed JCache in the build
		return "jcache".equalsIgnoreCase(this.environment.getProperty(TYPE))
				|| CHOICES.stream().anyMatch(this.environment::containsProperty)
				|| getClass().getClassLoader().getResource(JCacheEnvironmentPostProcessor.REDISSON_CACHES_FILE) != null
				|| hasBean(Configuration.class) || hasBean(JCacheManagerCustomizer.class);
	}

	boolean hasBean(Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, type, true, false).length > 0;
	}

}
