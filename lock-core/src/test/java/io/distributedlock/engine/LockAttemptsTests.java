package io.distributedlock.engine;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class LockAttemptsTests {

	@Test
	void fullKeysAreThoseOfTheBackend() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.keyPrefix("shop")
			.build()) {
			assertThat(template.fullKeys(LockRequest.of("42").withName("order"))).containsExactly("shop:order:42");
			assertThat(template.fullKeys(LockRequest.of("order:42"))).containsExactly("shop:order%3A42");
		}
	}

	@Test
	void semaphoreThatRequiresAFencingTokenIsRefused() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			LockRequest request = LockRequest.of("k").withRequired(LockCapability.FENCING);
			assertThatNoException().isThrownBy(() -> template.check(request));
			assertThatIllegalArgumentException().isThrownBy(() -> template.check(request.withPermits(2)))
				.withMessageContaining("permits")
				.withMessageContaining("FENCING");
		}
	}

}
