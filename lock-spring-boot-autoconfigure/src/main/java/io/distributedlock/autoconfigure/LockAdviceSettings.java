package io.distributedlock.autoconfigure;

import io.distributedlock.annotation.OnContention;
import io.distributedlock.spring.DistributedLockSettings;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Reads what the advice needs straight from the environment: post-processors come before
 * all beans, and {@link LockProperties} would be made too early for them.
 */
final class LockAdviceSettings {

	private LockAdviceSettings() {
	}

	static DistributedLockSettings read(Environment environment) {
		LockProperties properties = bind(environment);
		return new DistributedLockSettings(properties.getSpel().isBeanReferences(),
				switch (properties.getOnContention()) {
					case THROW -> OnContention.THROW;
					case SKIP -> OnContention.SKIP;
				}, properties.getTransaction().getRelease().asReleaseTime(),
				properties.getTransaction().isVerifyBeforeCommit());
	}

	static LockProperties.Mode mode(Environment environment) {
		return bind(environment).getMode();
	}

	private static LockProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate("lock", LockProperties.class);
	}

}
