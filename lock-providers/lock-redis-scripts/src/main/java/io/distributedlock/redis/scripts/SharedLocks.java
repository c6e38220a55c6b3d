package io.distributedlock.redis.scripts;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.CommandLease;
import org.jspecify.annotations.Nullable;

/**
 * Asks for, renews and releases what is not in a line, whatever the client and the layout
 * of the keys: read locks and permits of semaphores, which several owners have at the
 * same time, and with the layout of Redisson write locks. Thread-safe; no method blocks.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class SharedLocks {

	private final ExclusiveLocks exclusive;

	/**
	 * Create an object for one provider.
	 * @param exclusive the other locks of the provider
	 */
	public SharedLocks(ExclusiveLocks exclusive) {
		this.exclusive = exclusive;
	}

	/**
	 * Make one attempt to acquire a lock or a permit.
	 * @param request the request
	 * @param owner the owner, which is new
	 * @param unheard called if others have the lock who may release it unheard
	 * @return completes with the lease, or with {@code null} if it is taken
	 */
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request, Owner owner, Runnable unheard) {
		CommandLease lease = new CommandLease(request.key(), new LeaseTerm(System.nanoTime(), request.leaseTime()),
				CommandLease.renewal((leaseTime) -> renew(owner, leaseTime)), () -> release(owner))
			.withOwnerId(owner.id());
		ScriptCall call = owner.acquire(request)
			.whileWanted(() -> request.remainingNanos() > 0)
			.until(request.giveUpAtNanos());
		return this.exclusive.runner().<Long>run(call).handle((token, failure) -> {
			if (failure != null) {
				throw this.exclusive.failed(request, failure, owner::removal);
			}
			if (token < 0) {
				unheard.run();
			}
			if (token <= 0) {
				return null;
			}
			// several permits are held at the same time, so the latest token could not be
			// the only valid one
			return (request.type() == LockType.SEMAPHORE) ? lease : lease.withFencingToken(token);
		});
	}

	private CompletionStage<Boolean> renew(Owner owner, Duration leaseTime) {
		return this.exclusive.removed(owner.renew(leaseTime).until(System.nanoTime() + leaseTime.toNanos()));
	}

	/**
	 * Release for an owner, whichever JVM it belongs to.
	 * @param owner the owner
	 * @return completes with whether it had the lock
	 */
	public CompletionStage<Boolean> release(Owner owner) {
		return this.exclusive.removed(owner.release());
	}

	/**
	 * An owner, with the calls of its scripts.
	 */
	public interface Owner {

		/**
		 * Return what names the owner on the server.
		 * @return the name
		 */
		String id();

		/**
		 * Return the call that asks for the lock.
		 * @param request the request
		 * @return the call, which answers the token, 0 if others have the lock, or less
		 * than 0 if they may release it unheard
		 */
		ScriptCall acquire(LeaseRequest request);

		/**
		 * Return the call that renews.
		 * @param leaseTime the new lease time
		 * @return the call, which answers 1 if the owner had the lock
		 */
		ScriptCall renew(Duration leaseTime);

		/**
		 * Return the call that releases.
		 * @return the call, which answers as {@link LockScripts#release()}
		 */
		ScriptCall release();

		/**
		 * Return the call that releases after an attempt whose outcome is unknown, and
		 * which may arrive later.
		 * @return the call, which answers as {@link LockScripts#release()}
		 */
		ScriptCall removal();

	}

}
