package io.distributedlock.test.server;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets tests wait for a condition as long as it may take where servers and tests share a
 * machine that is busy with other things: a minute, unless a test says otherwise. On an
 * idle machine that costs nothing, as a condition is met as soon as it is.
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
