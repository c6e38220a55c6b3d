package io.distributedlock.autoconfigure.cache;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With Redisson on the class path an application has the JCache provider that it would
 * have without.
 */
class JCacheProviderListenerTests {

	@TempDir
	private Path folder;

	@Test
	void isRegistered() throws IOException {
		List<String> registered = new ArrayList<>();
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:" + SpringFactoriesLoader.FACTORIES_RESOURCE_LOCATION)) {
			registered
				.add(PropertiesLoaderUtils.loadProperties(file).getProperty(ApplicationListener.class.getName(), ""));
		}
		assertThat(registered).contains(JCacheProviderListener.class.getName());
	}

	@Test
	void onlyOtherProviderIsNamed() throws IOException {
		assertThat(provider(new MockEnvironment(), "# a comment\nexample.Provider # another\n"))
			.isEqualTo("example.Provider");
	}

	@Test
	void applicationChoosesAmongSeveral() throws IOException {
		assertThat(provider(new MockEnvironment(), "example.One", "example.Two")).isNull();
	}

	@Test
	void nothingIsNamedIfThereIsNoOther() throws IOException {
		assertThat(provider(new MockEnvironment())).isNull();
	}

	@Test
	void choiceOfTheApplicationStays() throws IOException {
		MockEnvironment environment = new MockEnvironment().withProperty(JCacheProviderListener.PROPERTY,
				"org.redisson.jcache.JCachingProvider");
		assertThat(provider(environment, "example.Provider")).isEqualTo("org.redisson.jcache.JCachingProvider");
	}

	@Test
	void applicationWithTheStarterOfRedissonIsLeftAlone() throws IOException {
		Path starter = Files.createDirectories(this.folder.resolve("starter/org/redisson/spring/starter"));
		// it is found, and not loaded
		Files.createFile(starter.resolve("RedissonProperties.class"));
		assertThat(provider(new MockEnvironment(), "example.Provider")).isNull();
	}

	/**
	 * Return the value of the property after the event, where each of the given contents
	 * is that of a file of services.
	 */
	private @Nullable String provider(MockEnvironment environment, String... services) throws IOException {
		for (int i = 0; i < services.length; i++) {
			Path file = this.folder.resolve("jar" + i + "/META-INF/services/javax.cache.spi.CachingProvider");
			Files.createDirectories(file.getParent());
			Files.writeString(file, services[i]);
		}
		URL[] jars;
		try (Stream<Path> folders = Files.list(this.folder)) {
			jars = folders.map((each) -> {
				try {
					return each.toUri().toURL();
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			}).toArray(URL[]::new);
		}
		try (URLClassLoader classLoader = new URLClassLoader(jars, getClass().getClassLoader())) {
			SpringApplication application = new SpringApplication(new DefaultResourceLoader(classLoader));
			new JCacheProviderListener().onApplicationEvent(new ApplicationEnvironmentPreparedEvent(
					new DefaultBootstrapContext(), application, new String[0], environment));
			return environment.getProperty(JCacheProviderListener.PROPERTY);
		}
	}

}
