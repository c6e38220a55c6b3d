package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.redisson.internal.client.RedissonCall;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.spi.LeaseRequest;

/**
 * An owner of a read lock, a write lock or a permit, with the script calls that ask for,
 * renew and release its lease.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param names the names in Redis that belong to the key
 * @param type the lock type
 * @param id the owner's name in the hash or the set
 */
record RedissonOwner(RedissonNames names, LockType type, String id) {

	/**
	 * How long a counter of tokens or a number of permits outlives the last lease. A
	 * counter that has expired starts again at the server's clock: the longer it stays,
	 * the less a clock that was set back matters.
	 */
	private static final long OUTLIVES_MILLIS = Duration.ofDays(1).toMillis();

	/**
	 * Return the call that asks for the lease.
	 * @param request what to acquire
	 * @param publish the command by which a release is published
	 */
	RedissonCall acquire(LeaseRequest request, String publish) {
		String lease = millis(request.leaseTime());
		String counterTtl = Long.toString(request.leaseTime().toMillis() + OUTLIVES_MILLIS);
		return switch (this.type) {
			case EXCLUSIVE, FAIR -> throw inLine();
			case WRITE -> call(RedissonScript.ACQUIRE_WRITE, publish, List.of(this.id, lease, counterTtl));
			case READ -> call(RedissonScript.ACQUIRE_READ, publish, List.of(this.id, lease, counterTtl));
			case SEMAPHORE -> ofPermit(RedissonScript.ACQUIRE_PERMIT, publish,
					List.of(this.names.permits(), this.names.permitTimes(), mark()), lease,
					Integer.toString(request.permits()));
		};
	}

	RedissonCall renew(Duration leaseTime, String publish) {
		String lease = millis(leaseTime);
		return switch (this.type) {
			case EXCLUSIVE, FAIR -> throw inLine();
			case WRITE -> renewal(RedissonScript.RENEW_LOCK, publish, List.of(this.names.lock()), this.id, lease);
			case READ ->
				renewal(RedissonScript.RENEW_READ, publish, List.of(this.names.lock(), this.names.reader(this.id)),
						this.id, lease, this.names.beforeReader(), this.names.afterReader());
			case SEMAPHORE -> ofPermit(RedissonScript.RENEW_PERMIT, publish,
					List.of(this.names.permits(), this.names.permitTimes()), lease, "");
		};
	}

	RedissonCall release(String publish) {
		return (this.type == LockType.SEMAPHORE) ? ofPermit(RedissonScript.RELEASE_PERMIT, publish,
				List.of(this.names.permits(), this.names.permitTimes()), "0", "") : release(publish, List.of());
	}

	/**
	 * Return the call that releases what the owner may have, and lets an attempt that
	 * arrives later be refused.
	 */
	RedissonCall remove(String publish) {
		return (this.type == LockType.SEMAPHORE)
				? ofPermit(RedissonScript.RELEASE_PERMIT, publish,
						List.of(this.names.permits(), this.names.permitTimes(), mark()), "0", "")
				: release(publish, List.of("1"));
	}

	private RedissonCall release(String publish, List<String> removal) {
		List<String> arguments = new ArrayList<>(List.of(this.id));
		if (this.type == LockType.READ) {
			arguments.addAll(List.of(this.names.beforeReader(), this.names.afterReader()));
		}
		arguments.addAll(removal);
		return switch (this.type) {
			case WRITE -> call(RedissonScript.RELEASE_WRITE, publish, arguments);
			case READ -> call(RedissonScript.RELEASE_READ, publish, arguments);
			default -> throw inLine();
		};
	}

	/**
	 * Return a call with all keys. A cluster whose slot moves must still release.
	 */
	private RedissonCall call(RedissonScript script, String publish, List<String> arguments) {
		List<String> keys = new ArrayList<>(this.names.keys());
		if (this.type == LockType.READ) {
			keys.add(this.names.reader(this.id));
		}
		boolean released = script == RedissonScript.RELEASE_WRITE || script == RedissonScript.RELEASE_READ;
		return new RedissonCall(script.publishing(publish), this.names.lockName(), keys, released ? 1 : keys.size(),
				arguments);
	}

	private RedissonCall renewal(RedissonScript script, String publish, List<String> keys, String... arguments) {
		return new RedissonCall(script.publishing(publish), this.names.lockName(), keys, List.of(arguments));
	}

	private RedissonCall ofPermit(RedissonScript script, String publish, List<String> keys, String lease,
			String permits) {
		return new RedissonCall(script.publishing(publish), this.names.permitsName(), keys, List.of(this.id, lease,
				Long.toString(OUTLIVES_MILLIS), permits, this.names.permitChannel(), this.names.channel()));
	}

	private String mark() {
		return this.names.permitMark(this.id);
	}

	private static IllegalStateException inLine() {
		return new IllegalStateException("exclusive and fair locks have the scripts of their line");
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
