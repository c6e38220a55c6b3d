package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

/**
 * Checks that a faulty provider does not pass the kit.
 */
class KitCanFailTests {

	@Test
	void providerThatLetsEveryoneInDoesNotPass() {
		assertEachFails(LetsEveryoneIn.class, "keyHasOneOwnerAtATime", "expiredOwnerCannotRenewOrRelease",
				"tokensRiseFromOwnerToOwner", "anotherNodeCannotAcquireUntilTheRelease", "noUpdateIsLost",
				"batchRenewalAnswersForEachLease");
	}

	/**
	 * As a provider for ZooKeeper did that told its caller first.
	 */
	@Test
	void providerThatRemovesRefusedPlacesLateDoesNotPass() {
		EngineTestKit.engine("junit-jupiter")
			.selectors(selectMethod(LeavesLate.class, "callsThatEndSoonAreGranted", "java.nio.file.Path"))
			.execute()
			.testEvents()
			.assertThatEvents()
			.haveExactly(1, finishedWithFailure(message((text) -> text.contains("cycles without an owner"))));
	}

	/**
	 * It does so with exclusive locks only.
	 */
	@Test
	void providerThatKeepsPromisesOfOneLockTypeDoesNotPass() {
		assertEachFails(KeepsPromisesOfOneType.class, "expiredOwnerCannotRenewOrRelease",
				"renewedLeaseOutlivesItsFirstTerm", "tokensRiseFromOwnerToOwner");
	}

	private static void assertEachFails(Class<?> kit, String... methods) {
		for (String method : methods) {
			assertThat(EngineTestKit.engine("junit-jupiter")
				.selectors(selectMethod(kit, method))
				.execute()
				.testEvents()
				.failed()
				.count()).as(method).isEqualTo(1);
		}
	}

	static class KeepsPromisesOfOneType extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return ProviderSource.inThisJvm(FairFactory.class);
		}

		public static final class FairFactory implements ProviderFactory {

			private static final LockProvider SHARED = new CarelessProvider();

			@Override
			public Node create(List<String> arguments, Duration commandTimeout) {
				return new Node(SHARED);
			}

		}

	}

	static class LetsEveryoneIn extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return ProviderSource.inThisJvm(OpenFactory.class);
		}

		public static final class OpenFactory implements ProviderFactory {

			@Override
			public Node create(List<String> arguments, Duration commandTimeout) {
				return new Node(new OpenProvider());
			}

		}

	}

	static class LeavesLate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return ProviderSource.inThisJvm(LateFactory.class);
		}

		public static final class LateFactory implements ProviderFactory {

			private static final LockProvider SHARED = new LateProvider();

			@Override
			public Node create(List<String> arguments, Duration commandTimeout) {
				return new Node(SHARED);
			}

		}

	}

	/**
	 * Refuses a call because of a place in the queue that nobody waits for any more.
	 */
	private static final class LateProvider implements LockProvider {

		/**
		 * Later than the next call comes, on a busy machine too.
		 */
		private static final Executor LATE = CompletableFuture.delayedExecutor(5, TimeUnit.SECONDS);

		private final LocalLockProvider queues = new LocalLockProvider();

		@Override
		public String name() {
			return "late";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.FENCING);
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			LockQueue.Place place = this.queues
				.enqueue(new LeaseRequest(request.key(), request.leaseTime(), LockType.FAIR));
			CompletableFuture<Lease> granted = place.granted().toCompletableFuture();
			if (granted.isDone()) {
				return granted;
			}
			LATE.execute(() -> {
				place.leave();
				granted.thenAccept(Lease::release);
			});
			return CompletableFuture.completedFuture(null);
		}

	}

	/**
	 * Keeps the promises of exclusive locks.
	 */
	private static final class CarelessProvider implements LockProvider {

		private final LocalLockProvider backend = new LocalLockProvider();

		@Override
		public String name() {
			return "careless";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.FENCING, LockCapability.SHARED);
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			CompletionStage<@Nullable Lease> lease = this.backend.tryAcquire(request);
			return (request.type() == LockType.EXCLUSIVE) ? lease
					: lease.thenApply((granted) -> (granted != null) ? new CarelessLease(granted) : null);
		}

	}

	/**
	 * Does not look who has the lock.
	 */
	private record CarelessLease(Lease lease) implements Lease {

		@Override
		public LeaseTerm term() {
			return this.lease.term();
		}

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
			return this.lease.release().thenApply((had) -> true);
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
