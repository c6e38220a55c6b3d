package io.distributedlock.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;

/**
 * For a {@link LockProvider} whose backend can say who has a key, and can take it away.
 * The engine needs neither to grant locks: this is for the person who looks for the cause
 * of an incident.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @since 0.1
 */
public interface LockOwners {

	/**
	 * Ask the backend who has a key, in all lock types. Changes nothing there.
	 * @param key the full key, as in {@link LeaseRequest#key()}
	 * @return completes with the owners whose leases run: none if the key is free;
	 * several if they are readers or have permits. Those who wait are not among them.
	 * Fails, best with {@link BackendException}, if the backend failed
	 */
	CompletionStage<List<LockOwner>> owners(String key);

	/**
	 * End the lease of an owner that may have been granted to another JVM, in the way in
	 * which that JVM would release it: whoever waits is told, and a later owner gets a
	 * higher fencing token. Changes nothing if this owner no longer has the key, whoever
	 * has it now.
	 * @param key the full key
	 * @param owner the owner, as {@link #owners} returned it
	 * @return completes with {@code true} if this owner had the key until now; fails,
	 * best with {@link BackendException}, if the backend failed
	 * @throws UnsupportedOperationException if the provider cannot end a lease of this
	 * {@link LockOwner#type() type} or of this owner; also as the failure of the stage
	 * @see LockType
	 */
	CompletionStage<Boolean> revoke(String key, LockOwner owner);

}
