package io.distributedlock.autoconfigure;

import io.distributedlock.spring.DistributedLockSettings;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Reads the settings of the advice directly from the environment. The post-processor
 * needs them before other beans are created, so it cannot use the {@link LockProperties}
 * bean.
 */
final class LockAdviceSettings {

	private LockAdviceSettings() {
	}

	static DistributedLockSettings read(Environment environment) {
		LockProperties properties = bind(environment);
		LockProperties.Transaction transaction = properties.getTransaction();
		return new DistributedLockSettings(properties.getSpel().isBeanReferences(),
				properties.getOnContention().asAttribute(), transaction.getRelease().asAttribute(),
				transaction.isVerifyBeforeCommit());
	}

	static LockProperties.Mode mode(Environment environment) {
		return bind(environment).getMode();
	}

	private static LockProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate("lock", LockProperties.class);
	}

}
