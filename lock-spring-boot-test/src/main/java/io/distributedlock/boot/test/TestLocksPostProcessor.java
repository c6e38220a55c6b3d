package io.distributedlock.boot.test;

import java.util.Objects;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.locks.TestLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Replaces the provider beans that the application declares itself, and tells the test
 * locks which template uses them.
 */
class TestLocksPostProcessor implements BeanPostProcessor {

	private final ObjectProvider<TestLocks> locks;

	TestLocksPostProcessor(ObjectProvider<TestLocks> locks) {
		this.locks = locks;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof LockProvider provider && isDescribed(provider)) {
			return this.locks.getObject().provider(provider.name(), provider.capabilities(), provider.leaseLimits());
		}
		if (bean instanceof DefaultLockTemplate template) {
			this.locks.getObject().use(template);
		}
		return bean;
	}

	/**
	 * Return whether a provider is no mock. The template refuses a mock, and says why.
	 */
	private static boolean isDescribed(LockProvider provider) {
		return Objects.nonNull(provider.name()) && Objects.nonNull(provider.capabilities())
				&& Objects.nonNull(provider.leaseLimits());
	}

}
