package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

/**
 * Checks that a faulty provider does not pass the kit.
 */
class KitCanFailTests {

	@Test
	void providerThatLetsEveryoneInDoesNotPass() {
		List.of("keyHasOneOwnerAtATime", "expiredOwnerCannotRenewOrRelease", "tokensRiseFromOwnerToOwner",
				"anotherNodeCannotAcquireUntilTheRelease", "noUpdateIsLost", "batchRenewalAnswersForEachLease")
			.forEach((method) -> assertThat(EngineTestKit.engine("junit-jupiter")
				.selectors(selectMethod(LetsEveryoneIn.class, method))
				.execute()
				.testEvents()
				.failed()
				.count()).as(method).isEqualTo(1));
	}

	static class LetsEveryoneIn extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return ProviderSource.inThisJvm(Factory.class);
		}

		public static final class Factory implements ProviderFactory {

			@Override
			public Node create(List<String> arguments, Duration commandTimeout) {
				return new Node(new OpenProvider());
			}

		}

	}

	private static final class OpenProvider implements LockProvider {

		@Override
		public String name() {
			return "open";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.FENCING);
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return CompletableFuture
				.completedFuture(new OpenLease(new LeaseTerm(System.nanoTime(), request.leaseTime())));
		}

	}

	private record OpenLease(LeaseTerm term) implements Lease {

		@Override
		public OptionalLong fencingToken() {
			return OptionalLong.of(7);
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return CompletableFuture.completedFuture(new LeaseTerm(System.nanoTime(), leaseTime));
		}

		@Override
		public CompletionStage<Boolean> release() {
			return CompletableFuture.completedFuture(true);
		}

	}

}
