package io.distributedlock.boot.test;

/**
 * The property that the annotation sets. It tells the configuration of a context that the
 * providers are replaced.
 */
final class TestLocksProperty {

	static final String ENABLED = "lock.test-locks.enabled";

	private TestLocksProperty() {
	}

}
