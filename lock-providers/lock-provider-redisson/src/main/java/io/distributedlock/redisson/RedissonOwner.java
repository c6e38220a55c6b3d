package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.SharedLocks;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.spi.LeaseRequest;

/**
 * An owner of a read lock, a permit or else a write lock, with the script calls that ask
 * for, renew and release its lease.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param names the names in Redis that belong to the key
 * @param type the lock type
 * @param id the owner's name in the hash or the set
 */
record RedissonOwner(RedissonNames names, LockType type, String id) implements SharedLocks.Owner {

	/**
	 * How long a number of permits outlives the last lease.
	 */
	private static final long OUTLIVES_MILLIS = Duration.ofDays(1).toMillis();

	@Override
	public ScriptCall acquire(LeaseRequest request) {
		String lease = ScriptCall.millis(request.leaseTime());
		return switch (this.type) {
			case SEMAPHORE ->
				onPermits(RedissonScript.ACQUIRE_PERMIT, true, lease, Integer.toString(request.permits()));
			case READ -> onLock(RedissonScript.ACQUIRE_READ, true, this.id, lease);
			default -> onLock(RedissonScript.ACQUIRE_WRITE, true, this.id, lease);
		};
	}

	@Override
	public ScriptCall renew(Duration leaseTime) {
		String lease = ScriptCall.millis(leaseTime);
		return switch (this.type) {
			case SEMAPHORE -> onPermits(RedissonScript.RENEW_PERMIT, false, lease, "");
			case READ ->
				new ScriptCall(RedissonScript.RENEW_READ, List.of(this.names.lock(), this.names.reader(this.id)),
						List.of(this.id, lease, this.names.beforeReader(), RedissonNames.AFTER_READER));
			default -> new ScriptCall(RedissonScript.RENEW_LOCK, List.of(this.names.lock()), List.of(this.id, lease));
		};
	}

	@Override
	public ScriptCall release() {
		return release(false);
	}

	@Override
	public ScriptCall removal() {
		return release(true);
	}

	/**
	 * Return the call that releases what the owner may have.
	 * @param refused whether an attempt that arrives later is to be refused
	 */
	private ScriptCall release(boolean refused) {
		String removal = refused ? "1" : "";
		return switch (this.type) {
			case SEMAPHORE -> onPermits(RedissonScript.RELEASE_PERMIT, refused, "0", "");
			case READ -> onLock(RedissonScript.RELEASE_READ, false, this.id, removal, this.names.beforeReader(),
					RedissonNames.AFTER_READER);
			default -> onLock(RedissonScript.RELEASE_WRITE, false, this.id, removal);
		};
	}

	/**
	 * Return a call with all keys.
	 * @param declared whether all are declared. A cluster whose slot moves must still
	 * release
	 */
	private ScriptCall onLock(Script script, boolean declared, String... arguments) {
		TokenCounters counters = this.names.counters();
		List<String> keys = new ArrayList<>(counters.keys(this.names.lock()));
		if (this.type == LockType.READ) {
			keys.add(this.names.reader(this.id));
		}
		return counters.call(script, keys, declared ? keys.size() : 1, List.of(arguments));
	}

	private ScriptCall onPermits(Script script, boolean marked, String lease, String permits) {
		List<String> keys = new ArrayList<>(List.of(this.names.permits(), this.names.permitTimes()));
		if (marked) {
			keys.add(this.names.permitMark(this.id));
		}
		return new ScriptCall(script, keys, List.of(this.id, lease, Long.toString(OUTLIVES_MILLIS), permits,
				this.names.permitChannel(), RedissonNames.channel(this.names.lock())));
	}

}
