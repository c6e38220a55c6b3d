package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.event.LockActivity;
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

	/**
	 * Otherwise the key of a JVM that died would stay taken for as long as other locks
	 * may last.
	 */
	@Test
	void autoRenewedLockWithoutALeaseTimeHasTheLengthOfARenewal() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.leaseTime(Duration.ofHours(1))
			.renewalLeaseTime(Duration.ofMinutes(1))
			.build(); LockHandle handle = template.acquire(LockRequest.of("k").withAutoRenew(true))) {
			assertThat(template.activity().held()).singleElement().matches(LockActivity.Held::autoRenewed);
			assertThat(handle.remaining()).isLessThanOrEqualTo(Duration.ofMinutes(1));
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
