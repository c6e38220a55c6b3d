package io.distributedlock.boot.test;

/**
 * The property that the annotation sets. It tells the configuration of a context that the
 * providers are replaced.
 */
final class TestLocksProperty {

	static final String PREFIX = "lock.test-locks";

	static final String ENABLED = PREFIX + ".enabled";

	private TestLocksProperty() {
	}

}
