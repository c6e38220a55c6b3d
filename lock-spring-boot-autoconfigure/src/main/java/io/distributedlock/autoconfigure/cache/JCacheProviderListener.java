package io.distributedlock.autoconfigure.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.UrlResource;

/**
 * Lets Spring Boot choose the JCache provider that it would choose without Redisson,
 * which is another one: Boot takes JCache only if there is a single provider. An
 * application that has Redisson's own starter has chosen Redisson itself, and is left
 * alone. No EnvironmentPostProcessor: Spring Boot 4 has that under another name than 3.
 */
class JCacheProviderListener implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

	static final String PROPERTY = "spring.cache.jcache.provider";

	static final String REDISSON = "org.redisson.jcache.JCachingProvider";

	static final String REDISSON_STARTER = "org.redisson.spring.starter.RedissonProperties";

	private static final String REDISSON_STARTER_FILE = "org/redisson/spring/starter/RedissonProperties.class";

	/**
	 * Where Redisson looks for the configuration of its caches.
	 */
	static final String REDISSON_CACHES_FILE = "redisson-jcache.yaml";

	private static final String SERVICES = "META-INF/services/javax.cache.spi.CachingProvider";

	/**
	 * What is read from the class path.
	 */
	static final List<String> RESOURCES = List.of(REDISSON_STARTER_FILE, REDISSON_CACHES_FILE, SERVICES);

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
		ClassLoader classLoader = event.getSpringApplication().getClassLoader();
		ConfigurableEnvironment environment = event.getEnvironment();
		if (environment.containsProperty(PROPERTY) || classLoader.getResource(REDISSON_STARTER_FILE) != null) {
			return;
		}
		Set<String> providers = providers(classLoader);
		if (providers.remove(REDISSON) && providers.size() == 1) {
			environment.getPropertySources()
				.addLast(new MapPropertySource("lockJCacheProvider", Map.of(PROPERTY, providers.iterator().next())));
		}
	}

	/**
	 * Read the names only: the class of a provider needs the JCache API, which may be
	 * missing.
	 */
	static Set<String> providers(ClassLoader classLoader) {
		Set<String> providers = new TreeSet<>();
		try {
			for (URL services : Collections.list(classLoader.getResources(SERVICES))) {
				new UrlResource(services).getContentAsString(StandardCharsets.UTF_8)
					.lines()
					.map((line) -> line.replaceFirst("#.*", "").trim())
					.filter((name) -> !name.isEmpty())
					.forEach(providers::add);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(SERVICES, ex);
		}
		return providers;
	}

}
