package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CallsUnderFaultTests {

	private static final Duration LASTING = Duration.ofMillis(100);

	private static final Map<String, Supplier<Runnable>> NO_FAULT = Map.of("no fault", () -> () -> {
	});

	@Test
	void oneBackendIsAccepted() throws Exception {
		LocalLockProvider provider = new LocalLockProvider();
		try (CallsUnderFault calls = new CallsUnderFault(List.of(provider, provider), Duration.ofSeconds(1))) {
			calls.haveOneOwnerAtATime(LASTING, NO_FAULT);
			calls.haveRisingTokens(LASTING, NO_FAULT);
		}
	}

	@Test
	void twoOwnersAndTokensThatDoNotRiseAreFound() {
		// long enough for both owners of a key on a busy machine
		Duration lasting = LASTING.multipliedBy(10);
		try (CallsUnderFault calls = new CallsUnderFault(List.of(new LocalLockProvider(), new LocalLockProvider()),
				Duration.ofSeconds(1))) {
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> calls.haveOneOwnerAtATime(lasting, NO_FAULT))
				.withMessageContaining("no fault");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> calls.haveRisingTokens(lasting, NO_FAULT))
				.withMessageContaining("tokens that do not rise");
		}
	}

}
