package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.Sequencer;
import io.distributedlock.fencing.SequencerCheck;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Checks that each declared {@link LockCapability} works, for the lock types and for
 * fencing, extension, minimum hold time and lock delay. A capability that is not declared
 * must be refused.
 */
abstract class LockTypeContract extends OwnerContract {

	@Test
	final void undeclaredCapabilityIsRefused() {
		LockTemplate node = node();
		for (LockCapability capability : LockCapability.values()) {
			LockRequest request = request().withRequired(capability, capability);
			if (isCapableOf(capability)) {
				assertThatNoException().isThrownBy(() -> node.check(request));
			}
			else {
				assertThatIllegalArgumentException().isThrownBy(() -> node.check(request))
					.withMessageContaining(capability.name());
				assertThatIllegalArgumentException().isThrownBy(() -> node.tryAcquire(request));
			}
		}
		for (LockType type : LockType.values()) {
			LockCapability required = type.requiredCapability();
			if (required != null && !isCapableOf(required)) {
				assertThatIllegalArgumentException().isThrownBy(() -> node.tryAcquire(request().withType(type)))
					.withMessageContainingAll(type.name(), required.name());
			}
		}
	}

	@Test
	final void sequencerCheckRefusesAnEarlierHolder() {
		LockTemplate node = node();
		LockHandle first = node.acquire(request());
		first.close();
		LockHandle second = node.acquire(request());
		second.close();
		if (!isCapableOf(LockCapability.FENCING)) {
			assertThat(first.sequencer()).isEmpty();
			return;
		}
		SequencerCheck resource = new SequencerCheck();
		assertThat(resource.accept(Sequencer.parse(first.sequencer().orElseThrow().toString()))).isTrue();
		assertThat(resource.accept(Sequencer.parse(second.sequencer().orElseThrow().toString()))).isTrue();
		assertThat(resource.accept(Sequencer.parse(first.sequencer().orElseThrow().toString()))).isFalse();
	}

	@Test
	final void leaseTimeOutsideTheLimitsIsRefused() {
		LockTemplate node = node();
		Duration shortest = limits().shortest();
		if (shortest.toMillis() > 1) {
			assertThatIllegalArgumentException().isThrownBy(() -> node.tryAcquire(lease(shortest.minusMillis(1))))
				.withMessageContaining("leases from");
		}
		node.acquire(lease(shortest.plus(Duration.ofSeconds(5)))).close();
		if (limits().longest().compareTo(Duration.ofDays(365)) < 0) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> node.tryAcquire(lease(limits().longest().plusMillis(1))))
				.withMessageContaining("leases from");
		}
	}

	@Test
	final void readersShareAndWritersDoNot() throws Exception {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		LockRequest read = request().withType(LockType.READ);
		LockRequest write = request().withType(LockType.WRITE);
		LockTemplate first = node();
		LockTemplate second = node();
		LockHandle reader = CompletableFuture.supplyAsync(() -> first.acquire(read), OTHER_THREAD).get();
		LockHandle sameNode = CompletableFuture.supplyAsync(() -> first.acquire(read), OTHER_THREAD).get();
		LockHandle otherNode = second.acquireAsync(read).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(second.tryAcquire(write)).isEmpty();
		assertThat(first.tryAcquire(request())).as("an exclusive lock beside readers").isEmpty();
		CompletableFuture<LockHandle> writer = second.acquireAsync(write);
		reader.close();
		otherNode.close();
		Patience.await().during(Duration.ofMillis(300)).until(() -> !writer.isDone());
		sameNode.close();
		try (LockHandle written = writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
			assertThat(first.tryAcquire(read)).isEmpty();
			assertThat(first.tryAcquire(write)).isEmpty();
			written.ensureHeld();
		}
		first.acquire(read).close();
	}

	@Test
	final void writerMayReadAndReaderMustNotWrite() {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		LockTemplate node = node();
		try (LockHandle writer = node.acquire(request().withType(LockType.WRITE));
				LockHandle reader = node.acquire(request().withType(LockType.READ))) {
			assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
		}
		try (LockHandle reader = node.acquire(request().withType(LockType.READ))) {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> node.acquire(request().withType(LockType.WRITE)))
				.withMessageContaining(reader.key());
		}
	}

	@Test
	final void writerThatReadsKeepsTheLockUntilBothHaveLeft() throws Exception {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		LockRequest read = request().withType(LockType.READ);
		LockTemplate first = node();
		LockTemplate second = node();
		LockHandle writer = first.acquire(request().withType(LockType.WRITE));
		LockHandle reader = first.acquire(read);
		writer.close();
		reader.ensureHeld();
		assertThat(second.tryAcquire(read)).isEmpty();
		CompletableFuture<LockHandle> waiting = second.acquireAsync(read);
		reader.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
	}

	@Test
	final void expiredReadLeaseLetsTheWriterIn() throws Exception {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		LockTemplate first = node();
		LockTemplate second = node();
		LockHandle longReader = first.acquireAsync(request().withType(LockType.READ)).get();
		LockHandle shortReader = second.acquireAsync(lease(shortLease()).withType(LockType.READ)).get();
		Patience.await().until(() -> !shortReader.isValid());
		assertThat(second.tryAcquire(request().withType(LockType.WRITE))).isEmpty();
		longReader.ensureHeld();
		longReader.close();
		LockHandle last = first.acquireAsync(lease(shortLease()).withType(LockType.READ)).get();
		try (LockHandle writer = second.acquire(request().withType(LockType.WRITE))) {
			assertThat(last.isValid()).isFalse();
			writer.ensureHeld();
		}
	}

	@Test
	final void readLeaseIsRenewed() {
		if (!isCapableOf(LockCapability.SHARED)) {
			return;
		}
		Duration lease = atLeastShortest(Duration.ofSeconds(4));
		LockTemplate first = node((settings) -> settings.renewalLeaseTime(lease));
		LockTemplate second = node();
		Patience.await().until(() -> {
			try (LockHandle reader = first.acquire(request().withType(LockType.READ))) {
				return outlives(reader, lease, () -> second.tryAcquire(request().withType(LockType.WRITE)));
			}
		});
		second.acquire(request().withType(LockType.WRITE)).close();
	}

	@Test
	final void semaphoreAdmitsOneHolderPerPermit() throws Exception {
		if (!isCapableOf(LockCapability.SEMAPHORE)) {
			return;
		}
		LockRequest request = request().withPermits(3);
		LockTemplate first = node();
		LockTemplate second = node();
		LockHandle a = first.acquire(request);
		LockHandle b = first.acquire(request);
		LockHandle c = second.acquire(request);
		assertThat(a.fencingToken()).isEmpty();
		assertThat(first.tryAcquire(request)).isEmpty();
		assertThat(second.tryAcquire(request)).isEmpty();
		CompletableFuture<LockHandle> waiting = second.acquireAsync(request);
		Patience.await().during(Duration.ofMillis(400)).until(() -> !waiting.isDone());
		b.close();
		LockHandle d = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		a.ensureHeld();
		c.ensureHeld();
		LockHandle lock = second.acquire(request());
		lock.close();
		List.of(a, c, d).forEach(LockHandle::close);
		try (LockHandle again = second.acquire(request)) {
			again.ensureHeld();
		}
	}

	@Test
	final void expiredPermitIsFreeAgain() {
		if (!isCapableOf(LockCapability.SEMAPHORE)) {
			return;
		}
		LockTemplate node = node();
		LockHandle brief = node.acquire(lease(shortLease()).withPermits(1));
		try (LockHandle next = node.acquire(request().withPermits(1))) {
			assertThat(brief.isValid()).isFalse();
			brief.close();
			next.ensureHeld();
			assertThat(node.tryAcquire(request().withPermits(1))).as("while the second holder has the permit")
				.isEmpty();
		}
	}

	@Test
	final void leaseIsExtendedAndMinimumHoldTimeIsKept() {
		LockTemplate first = node();
		LockTemplate second = node();
		Duration brief = atLeastShortest(Duration.ofSeconds(2));
		Patience.await().until(() -> extendedLeaseOutlivesItsTerm(first, second, brief));
		if (!isCapableOf(LockCapability.LOCK_DELAY)) {
			return;
		}
		long start = System.nanoTime();
		first.acquire(request().withHoldAtLeast(shortLease())).close();
		second.acquire(request()).close();
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(shortLease().toNanos() * 9 / 10);
	}

	private boolean extendedLeaseOutlivesItsTerm(LockTemplate first, LockTemplate second, Duration brief) {
		try (LockHandle handle = first.acquire(lease(brief))) {
			handle.extend(Duration.ofSeconds(30).plus(limits().shortest()));
			return outlives(handle, brief, () -> second.tryAcquire(request()));
		}
		catch (LockLostException ex) {
			return false;
		}
	}

	/**
	 * Wait until a term is over.
	 * @return {@code false} if the lease was lost, as on a machine that stands still for
	 * a second
	 */
	private static boolean outlives(LockHandle handle, Duration term, Supplier<Optional<LockHandle>> rival) {
		long afterTerm = System.nanoTime() + term.multipliedBy(5).dividedBy(4).toNanos();
		Patience.await().until(() -> System.nanoTime() - afterTerm > 0);
		Optional<LockHandle> other = rival.get();
		boolean held = handle.isValid();
		other.ifPresent(LockHandle::close);
		assertThat(held && other.isPresent()).as("two owners").isFalse();
		return held;
	}

	@Test
	final void severalLocksAreAcquiredTogetherOrNotAtAll() throws Exception {
		LockRequest both = LockRequest.ofAll(List.of(key() + "-1", key() + "-2"));
		LockTemplate first = node();
		LockTemplate second = node();
		LockHandle one = first.acquireAsync(LockRequest.of(key() + "-2")).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(second.tryAcquire(both)).isEmpty();
		first.acquire(LockRequest.of(key() + "-1").withWaitTime(PATIENCE)).close();
		one.close();
		try (LockHandle handle = second.acquire(both)) {
			assertThat(handle.parts()).hasSize(2).allSatisfy((part) -> assertThat(part.isValid()).isTrue());
			assertThat(first.tryAcquire(LockRequest.of(key() + "-1"))).isEmpty();
		}
	}

	@Test
	final void fairWaitersOfAllNodesAreServedInTheirOrder() throws Exception {
		if (!isCapableOf(LockCapability.FAIR)) {
			return;
		}
		LockRequest fair = request().withType(LockType.FAIR);
		PlacesOfProvider places = new PlacesOfProvider();
		// a place ends some intervals after its node was last heard of, and on a busy
		// machine that may be late
		Duration interval = Duration.ofSeconds(2);
		List<LockTemplate> nodes = Stream
			.generate(() -> node(places.of(provider()), (settings) -> settings.pollInterval(interval)))
			.limit(3)
			.<LockTemplate>map((node) -> node)
			.toList();
		LockHandle handle = nodes.get(0).acquireAsync(fair).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
		List<Integer> order = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			int number = i;
			order.add(i);
			// three waiters of the first node, three of the second, three of the third
			waiting
				.add(nodes.get(i / 3).executeAsync(fair, () -> CompletableFuture.completedFuture(served.add(number))));
			Patience.await("place in the queue").until(() -> places.confirmed() > number);
		}
		assertThat(nodes.get(1).tryAcquire(fair)).as("no call passes the queue").isEmpty();
		handle.close();
		CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new))
			.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(served).isEqualTo(order);
	}

	@Test
	final void keyStaysUnavailableForTheLockDelay() {
		Duration delay = Duration.ofMillis(1200);
		LockTemplate late = node((settings) -> settings.lockDelay(delay));
		if (!isCapableOf(LockCapability.LOCK_DELAY)) {
			assertThatIllegalArgumentException().isThrownBy(() -> late.check(request()))
				.withMessageContaining(LockCapability.LOCK_DELAY.name());
			return;
		}
		LockTemplate next = node();
		late.acquire(request()).close();
		next.acquire(request().withWaitTime(Duration.ZERO)).close();
		LockHandle lost = late.acquire(lease(shortLease()));
		long deadline = System.nanoTime() + lost.remaining().toNanos();
		while (!lost.isValid()) {
			// on a busy machine it may have ended, and nobody knows when
			lost.close();
			lost = late.acquire(lease(shortLease()));
			deadline = System.nanoTime() + lost.remaining().toNanos();
		}
		try (LockHandle successor = next.acquire(request())) {
			assertThat(System.nanoTime() - deadline).as("time between the local deadline and the next grant")
				.isGreaterThanOrEqualTo(delay.toNanos());
			assertThat(lost.isValid()).isFalse();
			successor.ensureHeld();
		}
	}

}
