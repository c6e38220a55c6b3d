package io.distributedlock.spi;

import java.util.concurrent.CompletionStage;

/**
 * For a {@link LockQueue} whose backend can, in one step, release a lease and take a
 * place for another caller of this JVM. Without this the place is taken once the release
 * is answered, which costs one request more for each lock that goes from JVM to JVM.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 *
 * @since 0.1
 */
public interface LeaseExchange extends LockQueue {

	/**
	 * Release a lease, and take a place for a new owner behind all who wait already. If
	 * nobody waits, and nobody may wait unseen, the place may be granted at once. If the
	 * lease was lost, the place is taken as by {@link #enqueue}. Returns without waiting
	 * for the backend. Called for exclusive locks only, once for a lease. If the release
	 * fails, the engine tries it again by {@link Lease#release}, and asks for the place
	 * again if that failed.
	 * @param lease a lease that this provider has granted, for the key of the request
	 * @param next the request for the place
	 * @return what becomes of both
	 */
	Exchange exchange(Lease lease, LeaseRequest next);

	/**
	 * What becomes of an exchange.
	 *
	 * @param released what {@link Lease#release} returns. If one answer brings both, it
	 * completes before the place does, since somebody waits for it
	 * @param place the place; the engine leaves it unless it is granted
	 */
	record Exchange(CompletionStage<Boolean> released, LockQueue.Place place) {
	}

}
