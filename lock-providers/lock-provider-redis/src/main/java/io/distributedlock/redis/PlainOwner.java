package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.SharedLocks;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.LeaseRequest;

/**
 * An owner of a permit or else a read lock.
 *
 * @param counters makes the calls
 * @param key the key
 * @param type the lock type
 * @param id the owner's name in the set
 */
record PlainOwner(TokenCounters counters, String key, LockType type, String id) implements SharedLocks.Owner {

	@Override
	public ScriptCall acquire(LeaseRequest request) {
		String lease = ScriptCall.millis(request.leaseTime());
		return isPermit()
				? new ScriptCall(PlainScripts.ACQUIRE_PERMIT, permitsAndMark(),
						List.of(this.id, lease, Integer.toString(request.permits())))
				: this.counters.call(PlainScripts.ACQUIRE_READ, this.key, List.of(this.id, lease));
	}

	@Override
	public ScriptCall renew(Duration leaseTime) {
		return new ScriptCall(PlainScripts.RENEW_SHARE, List.of(isPermit() ? permits(this.key) : this.key),
				List.of(this.id, ScriptCall.millis(leaseTime)));
	}

	@Override
	public ScriptCall release() {
		return isPermit() ? new ScriptCall(PlainScripts.RELEASE_PERMIT, permitsAndMark(), List.of(this.id, this.key))
				: this.counters.call(PlainScripts.RELEASE_READ, this.key, List.of(this.id));
	}

	@Override
	public ScriptCall removal() {
		return release().asRemoval();
	}

	static String permits(String key) {
		return TokenCounters.beside(key) + ":permits";
	}

	/**
	 * Return the owners of permits, and the mark that somebody waits for one.
	 */
	private List<String> permitsAndMark() {
		return List.of(permits(this.key), permits(this.key) + ":mark");
	}

	private boolean isPermit() {
		return this.type == LockType.SEMAPHORE;
	}

}
