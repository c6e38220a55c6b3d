package io.distributedlock.spring;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What {@link EnableDistributedLocks} imports.
 */
@Configuration(proxyBeanMethods = false)
class DistributedLockConfiguration {

	@Bean
	static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(ObjectProvider<LockTemplate> template,
			ObjectProvider<DistributedLockSettings> settings) {
		DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(template::getObject,
				settings.getIfAvailable(() -> DistributedLockSettings.DEFAULTS));
		processor.setProxyTargetClass(true);
		return processor;
	}

}
