package io.distributedlock.test.server;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Raises the time that tests wait for a condition to a minute, unless a test says
 * otherwise. Servers and tests share a machine that may be slow. On a fast machine this
 * costs nothing, because the wait ends as soon as the condition is met.
 *
 * @since 0.1
 */
public final class SlowMachine implements BeforeAllCallback {

	/**
	 * Called by JUnit.
	 */
	public SlowMachine() {
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
	}

}
