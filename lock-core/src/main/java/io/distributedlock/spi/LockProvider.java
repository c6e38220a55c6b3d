package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import org.jspecify.annotations.Nullable;

/**
 * Asks one backend for leases. An implementation makes atomic requests to its backend and
 * nothing else: the engine does the waiting, the order of waiters inside the JVM,
 * re-entry, the timing of renewals and the detection of loss. Thread-safe; no method may
 * block on the backend. A provider whose client only blocks makes its calls on threads of
 * its own.
 * <p>
 * A provider whose backend can wake waiters also implements {@link ReleaseSignal} or
 * {@link LockQueue}. The engine never asks a provider for a lock type that its
 * {@link #capabilities() capabilities} do not declare.
 *
 * @since 0.1
 */
public interface LockProvider extends AutoCloseable {

	/**
	 * Return the name by which the configuration and requests choose this provider.
	 * @return a short lower-case name, such as {@code redisson}
	 */
	String name();

	/**
	 * Return what this provider can do beyond exclusive locks.
	 * @return the capabilities, the same at every call; by default none
	 */
	default Set<LockCapability> capabilities() {
		return Set.of();
	}

	/**
	 * Return the lease times that this provider can keep.
	 * @return the limits, the same at every call
	 */
	default LeaseLimits leaseLimits() {
		return LeaseLimits.DEFAULT;
	}

	/**
	 * Return about how long the backend needs to pass a contended lock from one node to
	 * another: from the end of one caller's work to the begin of the next one's. Unless a
	 * hand-over window is configured, callers of one node may have the lock one after the
	 * other for twice that time while other nodes wait.
	 * @return the time, the same at every call; by default zero, for a backend that needs
	 * a millisecond or less
	 */
	default Duration handOverTime() {
		return Duration.ZERO;
	}

	/**
	 * Make one atomic attempt to acquire a lock for a new owner.
	 * <p>
	 * If the attempt fails or its answer is lost, the provider removes the owner as soon
	 * as the backend can be reached. In no case does anything stay on the backend for
	 * longer than one lease.
	 * @param request the request
	 * @return completes with the lease, or with {@code null} if another owner has it;
	 * fails, best with {@link BackendException}, if the backend failed. A failure must
	 * never be reported as {@code null}
	 */
	CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request);

	/**
	 * Renew several leases of this provider, in as few round trips as the client allows.
	 * @param renewals the leases and their new lengths
	 * @return for each renewal, in the same order, what {@link Lease#renew} returns
	 */
	default List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return renewals.stream().map((renewal) -> renewal.lease().renew(renewal.leaseTime())).toList();
	}

	/**
	 * Ask the backend for an answer, without changing anything there. The answer says
	 * that this node can reach what it needs for a lock: a majority of the servers where
	 * a majority decides, and each server where each has a part of the keys.
	 * @return completes, with any value, when the backend has answered; fails, best with
	 * {@link BackendException}, if the backend failed; fails with
	 * {@link UnsupportedOperationException}, as by default, if this provider cannot ask
	 */
	default CompletionStage<?> ping() {
		return CompletableFuture.failedFuture(
				new UnsupportedOperationException("Lock provider %s does not implement ping()".formatted(name())));
	}

	/**
	 * Stop the threads and close the connections that this provider has opened itself.
	 * Called after all leases were released.
	 */
	@Override
	default void close() {
	}

}
