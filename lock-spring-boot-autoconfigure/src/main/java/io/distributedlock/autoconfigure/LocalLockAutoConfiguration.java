package io.distributedlock.autoconfigure;

import io.distributedlock.local.LocalLockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of locks inside one JVM. It applies only if {@code lock.provider} or
 * {@code lock.providers} names {@code local}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnLockProvider(value = LocalLockProvider.NAME, named = true)
public final class LocalLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocalLockProvider distributedLockProviderLocal() {
		return new LocalLockProvider();
	}

}
