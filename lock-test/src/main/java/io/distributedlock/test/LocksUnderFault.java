package io.distributedlock.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Checks what becomes of locks of all lock types when a fault hits their servers, such as
 * a failover. For tests of a provider with faults that the kit does not know. It waits
 * for minutes if need be, as a failover on a busy machine may take that long.
 *
 * @since 0.1
 */
public final class LocksUnderFault implements AutoCloseable {

	/**
	 * Longer than any fault that a lock must survive.
	 */
	private static final Duration LEASE = Duration.ofSeconds(40);

	private final DefaultLockTemplate holder;

	private final DefaultLockTemplate other;

	/**
	 * Create two nodes, one that holds locks and one that waits.
	 * @param provider the provider, which must grant all lock types
	 */
	public LocksUnderFault(LockProvider provider) {
		this.holder = builder(provider).renewalLeaseTime(LEASE).build();
		this.other = builder(provider).build();
	}

	/**
	 * A promotion may take longer than the command time-out.
	 */
	private static LockTemplateBuilder builder(LockProvider provider) {
		return DefaultLockTemplate.builder().provider(provider).waitThroughOutage(true);
	}

	/**
	 * Check that each lock survives a fault and then goes to its waiter. Holds a lock of
	 * each lock type while another call waits for it. After the fault the holder must
	 * still have the lock; after its release the waiter must acquire it.
	 * @param fault the fault, called once with each key
	 */
	public void areKeptAndHandedOn(Consumer<String> fault) {
		List<LockHandle> held = acquireAll();
		List<CompletableFuture<LockHandle>> waiting = requests()
			.map((request) -> (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request)
			.map(this.other::acquireAsync)
			.toList();
		held.forEach((handle) -> fault.accept(handle.key()));
		awaitRenewed(held);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		held.forEach(LockHandle::close);
		waiting.forEach((call) -> assertThat(call).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close));
	}

	/**
	 * Check that a fault which stops new grants does not end the locks that are held.
	 * Holds a lock of each lock type. After the fault an attempt must fail with
	 * {@link LockUnavailableException}; held locks can be renewed and released.
	 * @param fault the fault
	 * @param reason a part of the message of the failed attempt
	 */
	public void areKeptAndReleasedWhileNoneIsGranted(Runnable fault, String reason) {
		List<LockHandle> held = acquireAll();
		fault.run();
		Patience.await()
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.other.tryAcquire("another"))
				.withMessageContaining(reason));
		awaitRenewed(held);
		held.forEach(LockHandle::close);
	}

	/**
	 * Check that fencing tokens still rise after a fault. Holds a lock while its server
	 * is gone for longer than the lease. Then another call must acquire it, with a higher
	 * token.
	 * @param fault the fault, called with the key
	 */
	public void goOnWithRisingTokens(Consumer<String> fault) {
		LockRequest request = LockRequest.of("k").withWaitTime(Patience.LIMIT);
		LockHandle before = this.holder.acquire(request.withLeaseTime(Duration.ofSeconds(2)));
		fault.accept(before.key());
		try (LockHandle after = this.other.acquire(request)) {
			assertThat(after.fencingToken().orElseThrow()).isGreaterThan(before.fencingToken().orElseThrow());
		}
		before.close();
	}

	@Override
	public void close() {
		this.holder.close();
		this.other.close();
	}

	private List<LockHandle> acquireAll() {
		return requests().map(this.holder::acquire).toList();
	}

	/**
	 * Wait until each lock has been renewed after the fault. The test fails if one was
	 * lost.
	 */
	private static void awaitRenewed(List<LockHandle> held) {
		held.forEach((handle) -> Patience.await("renewal of " + handle.key())
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.untilAsserted(() -> handle.extend(LEASE)));
	}

	private static Stream<LockRequest> requests() {
		return Arrays.stream(LockType.values()).map((type) -> {
			LockRequest request = LockRequest.of(type.name()).withWaitTime(Patience.LIMIT);
			return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
		});
	}

}
