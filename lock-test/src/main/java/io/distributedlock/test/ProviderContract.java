package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the SPI without the engine: one owner for each key, expiry, renewal, release,
 * fencing tokens, signals and places in the queue.
 */
abstract class ProviderContract extends KitNodes {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	final void keyHasOneOwnerAtATime() {
		LockProvider first = provider();
		LockProvider second = provider();
		Lease lease = acquire(first, LONG);
		assertThat(attempt(second, LONG)).isNull();
		assertThat(attempt(first, LONG)).as("a second owner on the same node").isNull();
		assertThat(get(lease.release())).isTrue();
		get(acquire(second, LONG).release());
	}

	@Test
	final void leaseExpiresButNotBeforeItsLocalDeadline() {
		LockProvider first = provider();
		LockProvider second = provider();
		Lease lease = acquire(first, shortLease());
		assertThat(lease.term().granted()).isLessThanOrEqualTo(shortLease());
		if (lease.term().deadlineNanos() - System.nanoTime() > 0) {
			Lease other = attempt(second, shortLease());
			if (lease.term().deadlineNanos() - System.nanoTime() > 0) {
				assertThat(other).as("before the local deadline of the first").isNull();
			}
		}
		Lease successor = Patience.await().until(() -> attempt(second, LONG), Objects::nonNull);
		assertThat(lease.term().deadlineNanos() - System.nanoTime()).as("deadline of the first").isNegative();
		get(successor.release());
	}

	/**
	 * Of each lock type; all at once, as leases may be long.
	 */
	@Test
	final void expiredOwnerCannotRenewOrRelease() {
		LockProvider first = provider();
		LockProvider second = provider();
		acquireEach(first, atLeastShortest(Duration.ofSeconds(2)), (type, lease) -> {
		}).forEach((type, expired) -> {
			Lease successor = Patience.await().until(() -> attemptAlone(second, type), Objects::nonNull);
			assertThat(get(expired.renew(LONG))).as("%s: renewal by the expired owner", type).isNull();
			assertThat(get(expired.release())).as("%s: release by the expired owner", type).isFalse();
			assertThat(attemptAlone(first, type)).as("%s: a third owner beside the successor", type).isNull();
			assertThat(get(successor.release())).as("%s", type).isTrue();
			assertThat(get(successor.release())).as("%s: the second release", type).isFalse();
		});
	}

	@Test
	final void renewedLeaseOutlivesItsFirstTerm() {
		LockProvider first = provider();
		LockProvider second = provider();
		Duration brief = atLeastShortest(Duration.ofSeconds(4));
		Map<LockType, Lease> leases = acquireEach(first, brief, ProviderContract::renew);
		long afterFirstTerms = leases.values()
			.stream()
			.mapToLong((lease) -> lease.term().deadlineNanos() + brief.toNanos() / 4)
			.reduce((one, other) -> (one - other > 0) ? one : other)
			.orElseThrow();
		// a backend may grant less than it is asked for: then a renewal does not last
		Map<LockType, LeaseTerm> renewed = new EnumMap<>(LockType.class);
		do {
			leases.forEach((type, lease) -> renewed.put(type, renew(type, lease)));
			long next = System.nanoTime() + brief.toNanos() / 5;
			Patience.await().until(() -> System.nanoTime() - next > 0);
		}
		while (System.nanoTime() - afterFirstTerms < 0);
		leases.forEach((type, lease) -> {
			Lease other = attemptAlone(second, type);
			boolean inTime = Objects.requireNonNull(renewed.get(type)).deadlineNanos() - System.nanoTime() > 0;
			boolean had = get(lease.release());
			if (inTime) {
				assertThat(other).as("%s", type).isNull();
				assertThat(had).as("%s", type).isTrue();
			}
			else if (other != null) {
				get(other.release());
			}
		});
	}

	@Test
	final void batchRenewalAnswersForEachLease() {
		LockProvider provider = provider();
		Lease live = acquire(provider, LONG);
		assertThat(get(live.release())).isTrue();
		Lease other = acquire(provider, LONG);
		List<? extends CompletionStage<@Nullable LeaseTerm>> answers = provider
			.renewAll(List.of(new LeaseRenewal(live, LONG), new LeaseRenewal(other, LONG)));
		assertThat(get(answers.get(0))).as("renewal of a released lease").isNull();
		assertThat(get(answers.get(1))).isNotNull();
		get(other.release());
	}

	@Test
	final void tokensRiseFromOwnerToOwner() {
		List<LockProvider> providers = List.of(provider(), provider(), provider());
		List<OptionalLong> tokens = new ArrayList<>();
		List<LockType> types = types().stream().filter((type) -> type != LockType.SEMAPHORE).toList();
		for (int i = 0; i < 9; i++) {
			// whatever they ask for, they are owners of one key
			Lease lease = attempt(providers.get(i % 3), providerKey(), types.get(i % types.size()), LONG);
			assertThat(lease).as("a free lock").isNotNull();
			tokens.add(Objects.requireNonNull(lease).fencingToken());
			assertThat(get(lease.release())).isTrue();
		}
		if (providers.get(0).capabilities().contains(LockCapability.FENCING)) {
			List<Long> values = tokens.stream().map(OptionalLong::orElseThrow).toList();
			assertThat(values).isSorted().doesNotHaveDuplicates();
		}
		else {
			assertThat(tokens).containsOnly(OptionalLong.empty());
		}
	}

	@Test
	final void declaredBlockingWaitSignalsTheRelease() {
		LockProvider holder = provider();
		LockProvider waiter = provider();
		if (!isCapableOf(LockCapability.BLOCKING_WAIT)) {
			if (waiter instanceof ReleaseSignal signal) {
				assertThat(signal.listen(providerKey(), () -> {
				})).isNull();
			}
			return;
		}
		Lease lease = acquire(holder, LONG);
		if (waiter instanceof LockQueue queue && queue.queues(LockType.EXCLUSIVE)) {
			LockQueue.Place place = queue.enqueue(new LeaseRequest(providerKey(), LONG, LockType.EXCLUSIVE));
			Patience.await("place").until(place::isBehindOthers);
			get(lease.release());
			Lease granted = get(place.granted());
			assertThat(attempt(holder, LONG)).isNull();
			get(granted.release());
			return;
		}
		AtomicInteger signals = new AtomicInteger();
		open(Objects.requireNonNull(((ReleaseSignal) waiter).listen(providerKey(), signals::incrementAndGet)));
		Patience.await("subscription").until(() -> signals.get() > 0);
		int before = signals.get();
		get(lease.release());
		Patience.await("release").until(() -> signals.get() > before);
	}

	@Test
	final void leftPlaceInTheQueueBlocksNoOther() {
		LockProvider holder = provider();
		LockProvider leaver = provider();
		if (!(leaver instanceof LockQueue queue)) {
			return;
		}
		LockType type = queue.queues(LockType.EXCLUSIVE) ? LockType.EXCLUSIVE : LockType.FAIR;
		if (!queue.queues(type)) {
			return;
		}
		LeaseRequest request = new LeaseRequest(providerKey(), LONG, type);
		Lease lease = acquire(holder, LONG);
		queue.enqueue(request).leave();
		LockQueue.Place place = queue.enqueue(request);
		Patience.await("place").until(place::isBehindOthers);
		place.leave();
		place.leave();
		get(lease.release());
		Lease next = Patience.await().until(() -> attempt(holder, LONG), Objects::nonNull);
		assertThat(place.granted().toCompletableFuture()).satisfiesAnyOf((granted) -> assertThat(granted).isNotDone(),
				(granted) -> assertThat(granted).isCompletedExceptionally());
		get(next.release());
	}

	@Test
	final void pingIsAnswered() {
		requirePing(provider());
	}

	/**
	 * Ask the backend, and skip the case if the provider cannot do that.
	 */
	static void requirePing(LockProvider provider) {
		try {
			get(provider.ping());
		}
		catch (CompletionException ex) {
			Assumptions.assumeFalse(ex.getCause() instanceof UnsupportedOperationException,
					"skipped because the provider does not implement ping()");
			throw ex;
		}
	}

	/**
	 * Acquire a lock of each type, each with a key of its own.
	 * @param atOnce what to do with each before the next is acquired
	 */
	private Map<LockType, Lease> acquireEach(LockProvider provider, Duration leaseTime,
			BiConsumer<LockType, Lease> atOnce) {
		Map<LockType, Lease> leases = new EnumMap<>(LockType.class);
		for (LockType type : types()) {
			Lease lease = attempt(provider, providerKey() + type, type, leaseTime);
			assertThat(lease).as("a free lock, %s", type).isNotNull();
			leases.put(type, Objects.requireNonNull(lease));
			atOnce.accept(type, lease);
		}
		return leases;
	}

	private static LeaseTerm renew(LockType type, Lease lease) {
		LeaseTerm term = get(lease.renew(LONG));
		assertThat(term).as("renewal, %s", type).isNotNull();
		return Objects.requireNonNull(term);
	}

	/**
	 * Ask for the same key so that it excludes the owner.
	 */
	private @Nullable Lease attemptAlone(LockProvider provider, LockType type) {
		return attempt(provider, providerKey() + type, alone(type), LONG);
	}

	private Lease acquire(LockProvider provider, Duration leaseTime) {
		Lease lease = attempt(provider, leaseTime);
		assertThat(lease).as("a free lock").isNotNull();
		return Objects.requireNonNull(lease);
	}

}
