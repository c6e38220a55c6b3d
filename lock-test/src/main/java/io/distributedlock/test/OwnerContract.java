package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.Backends.ForcedRelease;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks what the backend says about owners of keys, and forced releases. Skipped for a
 * provider that does not implement {@link LockOwners}.
 */
abstract class OwnerContract extends ProviderContract {

	/**
	 * Several leases run at once, and a slow machine must not let one end.
	 */
	private static final Duration OWNED = Duration.ofSeconds(30);

	@Test
	final void ownersAreShownWhileTheirLeasesRun() {
		DefaultLockTemplate holder = ownersNode();
		DefaultLockTemplate viewer = node();
		for (LockType type : types()) {
			LockRequest request = request(type, "owner").withLeaseTime(OWNED);
			String key = holder.fullKeys(request).get(0);
			assertThat(owners(viewer, key)).as("%s, before", type).isEmpty();
			try (LockHandle handle = holder.acquire(request)) {
				List<LockOwner> owners = owners(viewer, key);
				assertThat(owners).as("%s", type).singleElement().satisfies((owner) -> {
					assertThat(owner.type()).isEqualTo(shown(type));
					assertThat(owner.id()).isNotBlank();
					assertThat(holder.activity().held()).singleElement()
						.satisfies((held) -> assertThat(held.ownerId()).contains(owner.id()));
					owner.remaining().ifPresent((rest) -> assertThat(rest).isPositive());
					if (owner.fencingToken().isPresent()) {
						assertThat(owner.fencingToken().getAsLong()).as("the last token of the grant")
							.isGreaterThanOrEqualTo(handle.fencingToken().orElseThrow());
					}
				});
				assertThat(owners(viewer, key + "1")).as("another key").isEmpty();
				assertThat(owners.get(0).toString()).doesNotContain(owners.get(0).id());
			}
			assertThat(owners(viewer, key)).as("%s, after", type).isEmpty();
		}
	}

	@Test
	final void expiredOwnerIsNotShown() {
		DefaultLockTemplate holder = ownersNode();
		DefaultLockTemplate viewer = node();
		LockRequest request = lease(shortLease());
		String key = holder.fullKeys(request).get(0);
		// connected now: the lease is too short to wait for that
		assertThat(owners(viewer, key)).isEmpty();
		LockHandle handle = holder.acquire(request);
		List<LockOwner> owners = owners(viewer, key);
		if (handle.isValid()) {
			assertThat(owners).hasSize(1);
		}
		Patience.await().until(() -> owners(viewer, key).isEmpty());
		assertThat(handle.isValid()).isFalse();
		handle.close();
	}

	@Test
	final void forcedReleaseLetsTheNextOwnerIn() throws Exception {
		DefaultLockTemplate viewer = ownersNode();
		for (LockType type : types()) {
			LockRequest request = request(type, "forced");
			DefaultLockTemplate holder = node(
					(settings) -> settings.renewalLeaseTime(atLeastShortest(Duration.ofSeconds(3))));
			String key = holder.fullKeys(request).get(0);
			CompletableFuture<Boolean> lost = new CompletableFuture<>();
			LockHandle handle = holder.acquire(request);
			handle.onLost((loss) -> lost.complete(true));
			LockOwner owner = owners(viewer, key).get(0);
			LockRequest next = (type == LockType.READ) ? request.withType(LockType.WRITE) : request;
			assertThat(viewer.tryAcquire(next)).as("%s, before", type).isEmpty();
			ForcedRelease forced = get(viewer.backends().forceRelease(providerName(), key, owner));
			assertThat(forced.released()).as("%s", type).isTrue();
			assertThat(get(viewer.backends().forceRelease(providerName(), key, owner)).released()).as("a second time")
				.isFalse();
			try (LockHandle successor = viewer.acquire(next)) {
				assertThat(lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
				handle.close();
				successor.ensureHeld();
				assertThat(node().tryAcquire(next)).as("%s, after the release by the former owner", type).isEmpty();
				assertRising(handle.fencingToken(), forced.fencingToken(), successor.fencingToken());
			}
		}
	}

	@Test
	final void forcedReleaseOfAFormerOwnerChangesNothing() {
		DefaultLockTemplate first = ownersNode();
		DefaultLockTemplate second = node();
		String key = first.fullKeys(request()).get(0);
		LockOwner former;
		try (LockHandle handle = first.acquire(lease(OWNED))) {
			former = owners(second, key).get(0);
			handle.ensureHeld();
		}
		try (LockHandle handle = second.acquire(lease(OWNED))) {
			assertThat(get(first.backends().forceRelease(providerName(), key, former)))
				.isEqualTo(new ForcedRelease(false, OptionalLong.empty()));
			assertThat(owners(first, key)).singleElement()
				.satisfies((owner) -> assertThat(owner.id()).isNotEqualTo(former.id()));
			assertThat(first.tryAcquire(request())).isEmpty();
			handle.ensureHeld();
		}
	}

	@Test
	final void waiterOfAnotherNodeGetsTheKeyByAForcedRelease() {
		DefaultLockTemplate holder = ownersNode();
		DefaultLockTemplate waiter = node();
		LockHandle handle = holder.acquire(lease(OWNED));
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request().withWaitTime(OWNED));
		Patience.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
		String key = holder.fullKeys(request()).get(0);
		assertThat(owners(waiter, key)).as("those who wait are no owners").hasSize(1);
		LockOwner owner = owners(waiter, key).get(0);
		assertThat(get(waiter.backends().forceRelease(providerName(), key, owner)).released()).isTrue();
		LockHandle next = get(waiting);
		next.ensureHeld();
		assertRising(handle.fencingToken(), OptionalLong.empty(), next.fencingToken());
		handle.close();
		next.ensureHeld();
		next.close();
	}

	@Test
	final void forcedReleaseEndsTheShareOfOneReaderOnly() {
		DefaultLockTemplate first = ownersNode();
		Assumptions.assumeTrue(isCapableOf(LockCapability.SHARED), "skipped because the provider has no shared locks");
		DefaultLockTemplate second = node();
		LockRequest read = request(LockType.READ, "readers").withLeaseTime(OWNED);
		String key = first.fullKeys(read).get(0);
		LockHandle one = first.acquire(read);
		LockOwner owner = owners(second, key).get(0);
		try (LockHandle other = second.acquire(read)) {
			assertThat(owners(second, key)).hasSize(2)
				.allSatisfy((each) -> assertThat(each.type()).isEqualTo(LockType.READ));
			assertThat(get(second.backends().forceRelease(providerName(), key, owner)).released()).isTrue();
			assertThat(owners(first, key)).singleElement()
				.satisfies((each) -> assertThat(each.id()).isNotEqualTo(owner.id()));
			assertThat(node().tryAcquire(read.withType(LockType.WRITE))).as("beside the other reader").isEmpty();
			other.ensureHeld();
		}
		// whether it has learned of it depends on how often its provider renews
		one.close();
	}

	/**
	 * Return a node, or skip the case.
	 */
	private DefaultLockTemplate ownersNode() {
		Assumptions.assumeTrue(provider() instanceof LockOwners,
				"skipped because the provider cannot say who has a key");
		return node();
	}

	private List<LockOwner> owners(DefaultLockTemplate node, String key) {
		return get(node.backends().owners(providerName(), key));
	}

	private void assertRising(OptionalLong first, OptionalLong second, OptionalLong third) {
		if (first.isPresent() && third.isPresent()) {
			assertThat(third.getAsLong()).isGreaterThan(first.getAsLong());
			second.ifPresent((token) -> assertThat(token).isStrictlyBetween(first.getAsLong(), third.getAsLong()));
		}
	}

	private String providerName() {
		return sample().name();
	}

	private static LockType shown(LockType type) {
		return (type == LockType.READ || type == LockType.SEMAPHORE) ? type : LockType.EXCLUSIVE;
	}

}
