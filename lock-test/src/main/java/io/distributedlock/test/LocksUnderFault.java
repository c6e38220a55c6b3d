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
import io.distributedlock.spi.LockProvider;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of every kind that are held and waited for while something happens to their
 * servers. Waits for what comes of it, as long as it may take on a machine that is busy
 * with other things.
 *
 * @since 0.1
 */
public final class LocksUnderFault implements AutoCloseable {

	/**
	 * What a failover may take where many processes share a processor.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/**
	 * Longer than any fault that a lock is to outlive.
	 */
	private static final Duration LEASE = Duration.ofSeconds(40);

	private final DefaultLockTemplate holder;

	private final DefaultLockTemplate other;

	/**
	 * Create them.
	 * @param provider the provider, of a backend that has all kinds of locks
	 */
	public LocksUnderFault(LockProvider provider) {
		this.holder = DefaultLockTemplate.builder().provider(provider).renewalLeaseTime(LEASE).build();
		this.other = DefaultLockTemplate.builder().provider(provider).build();
	}

	/**
	 * Hold a lock of each kind and let another call wait for it. After a fault the holder
	 * must still have it, and after its release the other one gets it. In the end nobody
	 * has any.
	 * @param fault what happens, called for each key in turn
	 */
	public void areKeptAndHandedOn(Consumer<String> fault) {
		List<LockHandle> held = acquireAll();
		List<CompletableFuture<LockHandle>> waiting = kinds()
			.map((request) -> (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request)
			.map(this.other::acquireAsync)
			.toList();
		held.forEach((handle) -> fault.accept(handle.key()));
		awaitRenewed(held);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		held.forEach(LockHandle::close);
		waiting.forEach((call) -> assertThat(call).succeedsWithin(PATIENCE).satisfies(LockHandle::close));
	}

	/**
	 * Hold a lock of each kind. After a fault no lock can be taken, those that are held
	 * are kept, and can be released.
	 * @param fault what happens
	 * @param reason what a refusal says
	 */
	public void areKeptAndReleasedWhileNoneIsGranted(Runnable fault, String reason) {
		List<LockHandle> held = acquireAll();
		fault.run();
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.other.tryAcquire("another"))
				.withMessageContaining(reason));
		awaitRenewed(held);
		held.forEach(LockHandle::close);
	}

	/**
	 * Hold a lock while the server that has it goes away for longer than its lease. Then
	 * another call gets it, with a higher token.
	 * @param fault what happens
	 */
	public void goOnWithRisingTokens(Consumer<String> fault) {
		LockRequest request = LockRequest.of("k").withWaitTime(PATIENCE);
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
		return kinds().map(this.holder::acquire).toList();
	}

	/**
	 * Wait until each lock has been renewed, wherever its owner is known now; none may
	 * have been lost before.
	 */
	private static void awaitRenewed(List<LockHandle> held) {
		held.forEach((handle) -> Awaitility.await("renewal of " + handle.key())
			.atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.untilAsserted(() -> handle.extend(LEASE)));
	}

	private static Stream<LockRequest> kinds() {
		return Arrays.stream(LockType.values()).map((type) -> {
			LockRequest request = LockRequest.of(type.name()).withWaitTime(PATIENCE);
			return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
		});
	}

}
