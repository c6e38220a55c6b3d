package io.distributedlock.boot.test;

import java.io.IOException;

import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.ResourceLoaderAware;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/**
 * Leaves out the auto-configurations of providers where test locks replace them, and with
 * them their clients.
 */
class ReplacedProvidersFilter implements AutoConfigurationImportFilter, EnvironmentAware, ResourceLoaderAware {

	private static final String OURS = "io.distributedlock.";

	private @Nullable Environment environment;

	private @Nullable ResourceLoader resourceLoader;

	@Override
	public void setEnvironment(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void setResourceLoader(ResourceLoader resourceLoader) {
		this.resourceLoader = resourceLoader;
	}

	@Override
	public boolean[] match(@Nullable String[] autoConfigurationClasses, AutoConfigurationMetadata metadata) {
		boolean[] stays = new boolean[autoConfigurationClasses.length];
		boolean replaced = this.environment != null
				&& this.environment.getProperty(TestLocksProperty.ENABLED, Boolean.class, false);
		for (int i = 0; i < stays.length; i++) {
			String name = autoConfigurationClasses[i];
			stays[i] = !replaced || name == null || !name.startsWith(OURS) || !configuresProvider(name);
		}
		return stays;
	}

	/**
	 * Return whether a class configures a provider. It is not loaded, as its client may
	 * be missing.
	 */
	private boolean configuresProvider(String className) {
		MetadataReaderFactory factory = new SimpleMetadataReaderFactory(this.resourceLoader);
		try {
			return factory.getMetadataReader(className)
				.getAnnotationMetadata()
				.isAnnotated(ConditionalOnLockProvider.class.getName());
		}
		catch (IOException ex) {
			throw new IllegalStateException("The auto-configuration %s cannot be read".formatted(className), ex);
		}
	}

}
