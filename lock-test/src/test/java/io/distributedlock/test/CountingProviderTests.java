package io.distributedlock.test;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockActivity;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CountingProviderTests {

	@Test
	void limitsAndOwnersOfTheProviderAreKept() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new CountingProvider(new BriefProvider()))
			.renewalLeaseTime(Duration.ofSeconds(5))
			.build()) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> template.acquire(LockRequest.of("k").withLeaseTime(Duration.ofMinutes(1))))
				.withMessageContaining("keeps leases from");
			template.execute("k", () -> assertThat(template.activity().held()).extracting(LockActivity.Held::ownerId)
				.allMatch(Optional::isPresent));
		}
	}

	/**
	 * Keeps leases for ten seconds at most.
	 */
	private static final class BriefProvider implements LockProvider {

		private final LocalLockProvider backend = new LocalLockProvider();

		@Override
		public String name() {
			return "brief";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of();
		}

		@Override
		public LeaseLimits leaseLimits() {
			return new LeaseLimits(Duration.ofSeconds(1), Duration.ofSeconds(10));
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			return this.backend.tryAcquire(request);
		}

	}

}
