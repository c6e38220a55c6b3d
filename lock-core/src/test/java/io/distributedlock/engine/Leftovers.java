package io.distributedlock.engine;

import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing may be left of a call that has ended, however it ended.
 */
public final class Leftovers {

	private Leftovers() {
	}

	public static void assertNone(DefaultLockTemplate template) {
		Patience.await().untilAsserted(() -> {
			assertThat(template.keys.size()).as("keys in use").isZero();
			assertThat(template.keeper.size()).as("leases that are kept").isZero();
			assertThat(template.keys.waiting()).as("calls that wait").isZero();
			assertThat(template.calls.underWay()).as("calls that are under way").isZero();
			assertThat(template.releaser.isIdle()).as("no release is left").isTrue();
			assertThat(template.timers.size()).as("timers").isZero();
		});
	}

}
