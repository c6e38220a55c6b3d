package io.distributedlock.autoconfigure.cache;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Lets Spring Boot make the caches that it would make without Redisson, if Redisson is
 * the only JCache provider and nobody has chosen it. Boot would take JCache; this class
 * names the type that comes next for this application, just before Boot chooses. Boot has
 * no way to leave out one type.
 */
final class CacheTypeChoice implements ImportBeanDefinitionRegistrar {

	/**
	 * Types of caches between JCache and simple ones that need more than a class to be
	 * there. If one may come next, nothing is named.
	 */
	private static final List<String> UNDECIDED = List.of("com.hazelcast.core.HazelcastInstance",
			"com.couchbase.client.java.Cluster", "org.infinispan.spring.embedded.provider.SpringEmbeddedCacheManager",
			"org.cache2k.Cache2kBuilder");

	/**
	 * Without it Boot makes no caches of JCache. What those of Caffeine need is in the
	 * same library.
	 */
	private static final String JCACHE = "org.springframework.cache.jcache.JCacheCacheManager";

	private static final String REDIS = "org.springframework.data.redis.connection.RedisConnectionFactory";

	private static final String CAFFEINE = "com.github.benmanes.caffeine.cache.Caffeine";

	private final ConfigurableEnvironment environment;

	private final ClassLoader classLoader;

	private final RedissonCaches caches;

	CacheTypeChoice(Environment environment, BeanFactory beans, ClassLoader classLoader) {
		this.environment = (ConfigurableEnvironment) environment;
		this.classLoader = classLoader;
		this.caches = new RedissonCaches(environment, (ListableBeanFactory) beans);
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		String type = wouldBeRedissons() ? typeAfterJCache() : null;
		if (type != null) {
			this.environment.getPropertySources()
				.addLast(new MapPropertySource("lockCacheType", Map.of(RedissonCaches.TYPE, type)));
		}
	}

	private boolean wouldBeRedissons() {
		return isPresent(JCACHE) && this.caches.hasBean(CacheAspectSupport.class)
				&& !this.environment.containsProperty(RedissonCaches.TYPE)
				// whoever sets this names the provider of the JVM
				&& System.getProperty("javax.cache.spi.CachingProvider") == null
				&& JCacheProviderListener.providers(this.classLoader).equals(Set.of(JCacheProviderListener.REDISSON))
				&& !this.caches.areChosen()
				// Boot prefers these to JCache
				&& !this.caches.hasBean(CacheManager.class) && !this.caches.hasBean(Cache.class);
	}

	/**
	 * Return the type that Boot tries first after JCache and that fits.
	 */
	private @Nullable String typeAfterJCache() {
		if (UNDECIDED.stream().anyMatch(this::isPresent)) {
			return null;
		}
		if (isPresent(REDIS) && this.caches.hasBean(ClassUtils.resolveClassName(REDIS, this.classLoader))) {
			return "redis";
		}
		return isPresent(CAFFEINE) ? "caffeine" : "simple";
	}

	private boolean isPresent(String type) {
		return ClassUtils.isPresent(type, this.classLoader);
	}

}
