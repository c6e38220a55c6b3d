package io.distributedlock.autoconfigure;

import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of locks inside one JVM, for {@code lock.provider=local}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lock.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "lock.provider", havingValue = LocalLockProvider.NAME)
public final class LocalLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	LocalLockProvider localLockProvider() {
		return new LocalLockProvider();
	}

}
