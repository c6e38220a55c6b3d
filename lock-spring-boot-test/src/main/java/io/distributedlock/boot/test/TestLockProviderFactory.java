package io.distributedlock.boot.test;

import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.locks.TestLocks;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.core.env.Environment;

/**
 * Makes the provider that stands in for one of this library.
 */
class TestLockProviderFactory implements FactoryBean<LockProvider> {

	private final String name;

	private final TestLocks locks;

	private final Environment environment;

	TestLockProviderFactory(String name, TestLocks locks, Environment environment) {
		this.name = name;
		this.locks = locks;
		this.environment = environment;
	}

	@Override
	public LockProvider getObject() {
		ReplacedProvider replaced = ReplacedProvider.of(this.name).orElseThrow();
		return this.locks.provider(this.name, replaced.capabilities(this.environment),
				replaced.limits(this.environment));
	}

	@Override
	public Class<?> getObjectType() {
		return LockProvider.class;
	}

}
