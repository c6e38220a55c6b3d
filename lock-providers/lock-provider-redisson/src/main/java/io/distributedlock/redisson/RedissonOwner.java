package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;

/**
 * An owner of any lock but an exclusive one, with the script calls that ask for, renew
 * and release its lease.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param names the names in Redis that belong to the key
 * @param type the lock type
 * @param id the owner's name in the hash, the queue or the set
 */
record RedissonOwner(RedissonNames names, LockType type, String id) {

	/**
	 * How long a counter of tokens or a number of permits outlives the last lease. A
	 * counter that has expired starts again at the server's clock: the longer it stays,
	 * the less a clock that was set back matters.
	 */
	private static final long OUTLIVES_MILLIS = Duration.ofDays(1).toMillis();

	/**
	 * The messages on Redisson's channels: one waiter may ask again, or all of them.
	 */
	private static final String ONE = "0";

	private static final String ALL = "1";

	/**
	 * Return the call that asks for the lease.
	 * @param request what to acquire
	 * @param alive how long the owner counts as alive in the queue of a fair lock, zero
	 * if it does not queue
	 * @param publish the command by which a release is published
	 */
	RedissonCall acquire(LeaseRequest request, Duration alive, String publish) {
		String lease = millis(request.leaseTime());
		String counterTtl = Long.toString(request.leaseTime().toMillis() + OUTLIVES_MILLIS);
		String mark = mark();
		return switch (this.type) {
			case EXCLUSIVE -> throw inLine();
			case WRITE -> call(RedissonScript.ACQUIRE, List.of(this.names.lock(), this.names.counter(), mark),
					List.of(this.id, lease, counterTtl, "write"));
			case READ -> call(RedissonScript.ACQUIRE_READ,
					List.of(this.names.lock(), this.names.counter(), mark, this.names.reader(this.id)),
					List.of(this.id, lease, counterTtl));
			case FAIR -> call(RedissonScript.ACQUIRE_IN_TURN,
					List.of(this.names.lock(), this.names.counter(), mark, this.names.queue(), this.names.times(),
							this.names.moment()),
					List.of(this.id, lease, counterTtl, millis(alive), publish, this.names.channel()));
			case SEMAPHORE ->
				call(RedissonScript.ACQUIRE_PERMIT, List.of(this.names.permits(), this.names.permitTimes(), mark),
						ofPermit(lease, Integer.toString(request.permits()), publish));
		};
	}

	RedissonCall renew(Duration leaseTime, String publish) {
		String lease = millis(leaseTime);
		return switch (this.type) {
			case EXCLUSIVE -> throw inLine();
			case FAIR -> call(RedissonScript.RENEW, List.of(this.names.lock()), List.of(this.id, lease));
			case WRITE -> call(RedissonScript.RENEW, List.of(this.names.lock()), List.of(this.id, lease, "write"));
			case READ -> call(RedissonScript.RENEW_READ, List.of(this.names.lock(), this.names.reader(this.id)),
					List.of(this.id, lease, publish, this.names.beforeReader(), this.names.afterReader(),
							this.names.channel(), ONE, this.names.sharedChannel(), ALL));
			case SEMAPHORE -> call(RedissonScript.RENEW_PERMIT, List.of(this.names.permits(), this.names.permitTimes()),
					ofPermit(lease, "", publish));
		};
	}

	RedissonCall release(String publish) {
		return switch (this.type) {
			case EXCLUSIVE -> throw inLine();
			case WRITE -> call(RedissonScript.RELEASE, List.of(this.names.lock()),
					List.of(this.id, publish, this.names.queue(), this.names.channel(), this.names.sharedChannel()));
			case READ -> call(RedissonScript.RELEASE_READ, List.of(this.names.lock(), this.names.reader(this.id)),
					List.of(this.id, publish, this.names.beforeReader(), this.names.afterReader(), this.names.channel(),
							this.names.sharedChannel(), this.names.queue()));
			case FAIR -> call(RedissonScript.RELEASE_IN_TURN,
					List.of(this.names.lock(), this.names.queue(), this.names.times(), this.names.moment()),
					List.of(this.id, publish, this.names.channel(), this.names.sharedChannel()));
			case SEMAPHORE -> call(RedissonScript.RELEASE_PERMIT,
					List.of(this.names.permits(), this.names.permitTimes()), ofPermit("0", "", publish));
		};
	}

	/**
	 * Return the call that releases what the owner may have and leaves its mark, so that
	 * an attempt that arrives later is refused.
	 */
	RedissonCall remove(String publish) {
		RedissonCall release = release(publish);
		List<String> keys = new ArrayList<>(release.keys());
		keys.add(mark());
		return new RedissonCall(release.script(), release.route(), keys, release.arguments());
	}

	private RedissonCall call(RedissonScript script, List<String> keys, List<String> arguments) {
		String route = (this.type == LockType.SEMAPHORE) ? this.names.permitsName() : this.names.lockName();
		return new RedissonCall(script, route, keys, arguments);
	}

	private String mark() {
		return (this.type == LockType.SEMAPHORE) ? this.names.permitMark(this.id) : this.names.mark(this.id);
	}

	private List<String> ofPermit(String lease, String permits, String publish) {
		return List.of(this.id, lease, Long.toString(OUTLIVES_MILLIS), permits, publish, this.names.permitChannel(),
				this.names.channel());
	}

	private static IllegalStateException inLine() {
		return new IllegalStateException("exclusive locks have the scripts of their line");
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
