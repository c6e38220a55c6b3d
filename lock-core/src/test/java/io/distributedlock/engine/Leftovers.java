package io.distributedlock.engine;

import io.distributedlock.engine.internal.key.Engine;
import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing may be left of a call that has ended, however it ended.
 */
public final class Leftovers {

	private Leftovers() {
	}

	public static void assertNone(DefaultLockTemplate template) {
		Engine engine = template.engine();
		Patience.await().untilAsserted(() -> {
			assertThat(engine.keys().size()).as("keys in use").isZero();
			assertThat(engine.keeper().size()).as("leases that are kept").isZero();
			assertThat(engine.keys().waiting()).as("calls that wait").isZero();
			assertThat(engine.calls().underWay()).as("calls that are under way").isZero();
			assertThat(engine.releaser().pending()).as("releases").isEmpty();
			assertThat(engine.timers().size()).as("timers").isZero();
		});
	}

}
