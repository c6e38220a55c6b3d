package io.distributedlock.spi;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import org.jspecify.annotations.Nullable;

/**
 * A backend that grants leases. An implementation supplies a few atomic primitives and
 * nothing else: waiting, fairness inside the JVM, re-entry, renewal and the detection of
 * loss are the engine's. Thread-safe; no method may block on the backend. A backend whose
 * client only blocks runs its calls on threads of its own.
 * <p>
 * What else a backend can do it says by implementing an optional interface beside this
 * one: {@link ReleaseSignal} or {@link LockQueue}. The kinds of locks that it grants
 * follow from its {@link #capabilities() capabilities}: it is never asked for one that it
 * does not declare.
 *
 * @since 0.1
 */
public interface LockProvider extends AutoCloseable {

	/**
	 * Return the name by which configuration and requests choose this provider.
	 * @return a short lower-case name, such as {@code redisson}
	 */
	String name();

	/**
	 * Return what this provider can do beyond exclusive leases.
	 * @return the capabilities, the same at every call
	 */
	Set<LockCapability> capabilities();

	/**
	 * Return the lengths of leases that this provider can keep.
	 * @return the limits, the same at every call
	 */
	default LeaseLimits leaseLimits() {
		return LeaseLimits.DEFAULT;
	}

	/**
	 * Make one atomic attempt to get a lock for a new owner.
	 * <p>
	 * If the attempt fails, and also if its answer is lost, the provider sees to it that
	 * nothing is left behind for longer than one lease: it has the owner removed as soon
	 * as the backend can be reached.
	 * @param request what to get
	 * @return completes with the lease, or {@code null} if another owner has it; fails,
	 * best with {@link BackendException}, if the backend failed. Must not be confused: a
	 * failure is never reported as contention
	 */
	CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request);

	/**
	 * Renew several leases of this provider, in as few round trips as the client allows.
	 * @param renewals the leases and their lengths
	 * @return for each renewal, in the same order, what {@link Lease#renew} returns
	 */
	default List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return renewals.stream().map((renewal) -> renewal.lease().renew(renewal.leaseTime())).toList();
	}

	/**
	 * Stop threads and close connections that this provider has opened itself. Called
	 * after all leases were released.
	 */
	@Override
	default void close() {
	}

}
