package io.distributedlock.micrometer;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.test.patience.Patience;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the meters show of the calls of a real template.
 */
class LockMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMeters meters = new LockMeters(this.registry);

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.observer(this.meters)
		.listener(this.meters)
		// longer than a busy machine may pause
		.renewalLeaseTime(Duration.ofSeconds(6))
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void gaugesSayHowManyAreHeldAndWait() {
		LockRequest request = LockRequest.of("42").withName("order").withWaitTime(Duration.ofSeconds(20));
		LockHandle handle = this.template.acquireAsync(request).join();
		assertThat(gauge("lock.held", "order")).isEqualTo(1);
		assertThat(gauge("lock.waiting", "order")).isZero();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(request);
		assertThat(gauge("lock.waiting", "order")).isEqualTo(1);
		handle.close();
		LockHandle next = waiting.join();
		assertThat(gauge("lock.held", "order")).isEqualTo(1);
		assertThat(gauge("lock.waiting", "order")).isZero();
		next.close();
		assertThat(gauge("lock.held", "order")).isZero();
		assertThat(counter("lock.lost", "order")).isZero();
	}

	@Test
	void waiterThatGivesUpNoLongerWaits() {
		try (LockHandle held = this.template.acquireAsync(LockRequest.of("42")).join()) {
			held.ensureHeld();
			assertThat(this.template.tryAcquireAsync(LockRequest.of("42")).join()).isEmpty();
		}
		assertThat(gauge("lock.waiting", "none")).isZero();
		assertThat(gauge("lock.held", "none")).isZero();
	}

	@Test
	void gaugeSaysWhetherTheProviderIsDown() {
		this.template.acquire("42").close();
		assertThat(down("local")).isZero();
		this.meters.on(new LockEvent.OutageBegan("local", 0, new IllegalStateException("unreachable")));
		assertThat(down("local")).isEqualTo(1);
		this.meters.on(new LockEvent.OutageEnded("local", 0, Duration.ofSeconds(9)));
		assertThat(down("local")).isZero();
	}

	@Test
	void closedTemplateLeavesNoProviderDown() {
		try (DefaultLockTemplate broken = DefaultLockTemplate.builder()
			.provider(new BrokenProvider(new BackendException("unreachable", true, null)))
			.listener(this.meters)
			.commandTimeout(Duration.ofMillis(100))
			.build()) {
			broken.acquireAsync(LockRequest.of("42"));
			Patience.await().until(() -> this.registry.find("lock.provider.down").gauge() != null);
			Patience.await().until(() -> down("broken") == 1);
		}
		Patience.await().until(() -> down("broken") == 0);
	}

	private double down(String provider) {
		return this.registry.get("lock.provider.down").tags("lock.provider", provider).gauge().value();
	}

	@Test
	void renewalsAreTimed() {
		try (LockHandle held = this.template.acquire(LockRequest.of("42"))) {
			held.ensureHeld();
			Patience.await()
				.until(() -> this.registry.get("lock.renewals")
					.tags("lock.name", "none", "lock.provider", "local")
					.timer()
					.count() >= 1);
		}
	}

	@Test
	void releasesAreTimed() {
		this.template.acquire(LockRequest.of("42")).close();
		Patience.await()
			.until(() -> this.registry.get("lock.releases")
				.tags("lock.name", "none", "lock.provider", "local")
				.timer()
				.count() == 1);
	}

	@Test
	void lossAndLateReleaseAreCountedAndTheLockIsNoLongerHeld() {
		LockHandle handle = this.template
			.acquire(LockRequest.of("42").withName("order").withLeaseTime(Duration.ofMillis(50)));
		Patience.await().until(() -> counter("lock.lost", "order") == 1);
		Patience.await().until(() -> gauge("lock.held", "order") == 0);
		assertThat(counter("lock.late.releases", "order")).isZero();
		handle.close();
		Patience.await().until(() -> counter("lock.late.releases", "order") == 1);
		assertThat(gauge("lock.held", "order")).isZero();
	}

	/**
	 * The local provider counts a token for each grant, so that it passes nothing on.
	 */
	@Test
	void handOverIsCounted() {
		LockInfo lock = new LockInfo("order", "order:42", "local", LockType.EXCLUSIVE);
		this.meters.begin(lock).acquired(OptionalLong.empty(), false);
		assertThat(counter("lock.hand.overs", "order")).isZero();
		this.meters.begin(lock).acquired(OptionalLong.empty(), true);
		assertThat(counter("lock.hand.overs", "order")).isEqualTo(1);
	}

	@Test
	void failuresAreCounted() {
		LockInfo lock = new LockInfo("order", "order:42", "local", LockType.EXCLUSIVE);
		this.meters.on(new LockEvent.RenewalFailed(lock, 0, Duration.ZERO, new IllegalStateException()));
		this.meters.on(new LockEvent.ReleaseFailed(lock, 0, Duration.ZERO, new IllegalStateException()));
		assertThat(counter("lock.renewal.failures", "order")).isEqualTo(1);
		assertThat(counter("lock.release.failures", "order")).isEqualTo(1);
	}

	@Test
	void noMeterHasTheKeyAndTheNamesAreBounded() {
		for (int i = 0; i < LockNames.LIMIT + 10; i++) {
			LockInfo lock = new LockInfo("name" + i, "secret", "local", LockType.EXCLUSIVE);
			this.meters.begin(lock).acquired(OptionalLong.empty(), false);
		}
		assertThat(this.registry.getMeters()).flatExtracting((meter) -> meter.getId().getTags())
			.noneSatisfy((tag) -> assertThat(tag.getValue()).contains("secret"));
		assertThat(this.registry.find("lock.held").gauges()).hasSize(LockNames.LIMIT + 1);
		assertThat(gauge("lock.held", LockNames.OTHER)).isEqualTo(10);
	}

	@Test
	void everyMeterHasADescription() {
		this.template.acquire(LockRequest.of("42")).close();
		assertThat(this.registry.getMeters()).extracting(Meter::getId)
			.isNotEmpty()
			.allSatisfy((id) -> assertThat(id.getDescription()).isNotBlank());
	}

	private double gauge(String meter, String name) {
		return this.registry.get(meter).tags("lock.name", name, "lock.provider", "local").gauge().value();
	}

	private double counter(String meter, String name) {
		return this.registry.get(meter).tags("lock.name", name, "lock.provider", "local").counter().count();
	}

}
