package io.distributedlock.micrometer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.test.patience.Patience;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What handlers of observations see of the calls of a real template.
 */
class LockObservationsTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final LocalLockProvider provider = new LocalLockProvider();

	private DefaultLockTemplate template = template(new LockObservations(this.registry));

	private final DefaultLockTemplate other = DefaultLockTemplate.builder().provider(this.provider).build();

	@AfterEach
	void close() {
		this.template.close();
		this.other.close();
	}

	@Test
	void acquiringAndHoldingAreObservationsWithoutTheKey() {
		this.template.acquire(LockRequest.of("42").withName("order")).close();
		observed().hasNumberOfObservationsEqualTo(2)
			.hasObservationWithNameEqualTo("lock.acquire")
			.that()
			.hasContextualNameEqualTo("lock.acquire order")
			.hasLowCardinalityKeyValue("lock.name", "order")
			.hasLowCardinalityKeyValue("lock.provider", "local")
			.hasLowCardinalityKeyValue("lock.type", "exclusive")
			.hasLowCardinalityKeyValue("lock.outcome", "acquired")
			.hasHighCardinalityKeyValueWithKey("lock.fencing.token")
			.doesNotHaveHighCardinalityKeyValueWithKey("lock.key")
			.hasBeenStopped()
			.doesNotHaveError();
		observed().hasObservationWithNameEqualTo("lock.hold")
			.that()
			.hasLowCardinalityKeyValue("lock.name", "order")
			.hasLowCardinalityKeyValue("lock.outcome", "released")
			.hasBeenStopped()
			.doesNotHaveError();
	}

	@Test
	void holdEndsWithTheLastHolderAndAReentryIsNoObservation() {
		LockHandle outer = this.template.acquire(LockRequest.of("42"));
		this.template.acquire(LockRequest.of("42")).close();
		observed().hasNumberOfObservationsEqualTo(2);
		observed().hasObservationWithNameEqualTo("lock.hold").that().isNotStopped();
		outer.close();
		observed().hasObservationWithNameEqualTo("lock.hold").that().hasBeenStopped();
	}

	@Test
	void parentIsTheObservationOfTheCallerAlsoForAFuture() {
		LockHandle held = this.other.acquire(LockRequest.of("42"));
		Observation parent = Observation.start("request", this.registry);
		CompletableFuture<LockHandle> waiting = parent.scoped(() -> this.template.acquireAsync(LockRequest.of("42")));
		held.close();
		waiting.join().close();
		parent.stop();
		for (String name : new String[] { "lock.acquire", "lock.hold" }) {
			observed().hasObservationWithNameEqualTo(name).that().hasParentObservationEqualTo(parent).hasBeenStopped();
		}
	}

	@Test
	void contentionIsAnOutcomeAndNoError() {
		try (LockHandle held = this.other.acquire(LockRequest.of("42"))) {
			held.ensureHeld();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.acquire(LockRequest.of("42").withWaitTime(Duration.ofMillis(20))));
		}
		observed().hasSingleObservationThat()
			.hasNameEqualTo("lock.acquire")
			.hasLowCardinalityKeyValue("lock.outcome", "contended")
			.hasBeenStopped()
			.doesNotHaveError();
	}

	@Test
	void outageIsAnError() {
		BackendException failure = new BackendException("the backend is down", false, null);
		DefaultLockTemplate broken = DefaultLockTemplate.builder()
			.provider(new BrokenProvider(failure))
			.observer(new LockObservations(this.registry))
			.build();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> broken.acquire(LockRequest.of("42").withWaitTime(Duration.ZERO)));
		broken.close();
		observed().hasSingleObservationThat()
			.hasLowCardinalityKeyValue("lock.outcome", "unavailable")
			.hasError(failure)
			.hasBeenStopped();
	}

	@Test
	void lossIsAnErrorOfTheHoldAndEndsIt() {
		LockHandle handle = this.template.acquire(LockRequest.of("42").withLeaseTime(Duration.ofMillis(50)));
		Patience.await()
			.untilAsserted(() -> observed().hasObservationWithNameEqualTo("lock.hold")
				.that()
				.hasLowCardinalityKeyValue("lock.outcome", "lost")
				.hasError()
				.hasBeenStopped());
		handle.close();
		observed().hasObservationWithNameEqualTo("lock.hold").that().hasLowCardinalityKeyValue("lock.outcome", "lost");
	}

	@Test
	void keyIsShownToTracesIfItIsSwitchedOn() {
		use(new LockObservations(this.registry, new DefaultLockObservationConvention(true)));
		this.template.acquire(LockRequest.of("42").withName("order")).close();
		observed().forAllObservationsWithNameEqualTo("lock.hold",
				(each) -> each.hasHighCardinalityKeyValue("lock.key", "order:42"));
	}

	@Test
	void conventionCanBeReplaced() {
		use(new LockObservations(this.registry, new DefaultLockObservationConvention(false) {

			@Override
			public String getName(LockObservationContext.Phase phase) {
				return "shop." + super.getName(phase);
			}

			@Override
			public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
				return super.getLowCardinalityKeyValues(context).and("team", "checkout");
			}

		}));
		this.template.acquire(LockRequest.of("42")).close();
		observed().hasObservationWithNameEqualTo("shop.lock.hold")
			.that()
			.hasLowCardinalityKeyValue("team", "checkout")
			.hasLowCardinalityKeyValue("lock.name", "none");
	}

	@Test
	void nothingIsObservedWithoutARegistry() {
		LockObservations observations = new LockObservations(ObservationRegistry.NOOP);
		use(observations);
		try (LockHandle handle = this.template.acquire(LockRequest.of("42"))) {
			handle.ensureHeld();
		}
		observed().doesNotHaveAnyObservation();
	}

	private TestObservationRegistryAssert observed() {
		return TestObservationRegistryAssert.assertThat(this.registry);
	}

	private void use(LockObservations observations) {
		this.template.close();
		this.template = template(observations);
	}

	private DefaultLockTemplate template(LockObservations observations) {
		return DefaultLockTemplate.builder().provider(this.provider).observer(observations).build();
	}

}
