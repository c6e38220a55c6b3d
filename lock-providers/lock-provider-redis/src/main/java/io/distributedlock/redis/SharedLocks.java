package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Asks for, renews and releases what several owners have at the same time: read locks and
 * permits of semaphores.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 */
final class SharedLocks implements AutoCloseable {

	private final RedisLink link;

	private final ExclusiveLocks exclusive;

	private final TokenCounters counters;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	SharedLocks(RedisLink link, ExclusiveLocks exclusive, TokenCounters counters) {
		this.link = link;
		this.exclusive = exclusive;
		this.counters = counters;
	}

	CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String key = request.key();
		String owner = this.owners.next();
		boolean permit = request.type() == LockType.SEMAPHORE;
		CommandLease candidate = new CommandLease(key, new LeaseTerm(System.nanoTime(), request.leaseTime()),
				CommandLease.renewal((leaseTime) -> renew(key, owner, permit, leaseTime)),
				() -> release(key, owner, permit))
			.withOwnerId(owner);
		ScriptCall call = acquire(request, owner).whileWanted(() -> request.remainingNanos() > 0);
		return this.link.<Long>send(call).handle((token, failure) -> {
			if (failure != null) {
				if (!RedisErrors.isRefusal(failure)) {
					// the owner may get the lease later: the release follows the attempt
					this.unknownOwners.remove(key, request.leaseTime(),
							() -> release(releasing(key, owner, permit).asRemoval()));
				}
				throw RedisErrors.translate(failure);
			}
			if (token == 0) {
				return null;
			}
			// several permits are held at the same time, so the latest token could not be
			// the only valid one
			return permit ? candidate : candidate.withFencingToken(token);
		});
	}

	private CompletionStage<Boolean> renew(String key, String owner, boolean permit, Duration leaseTime) {
		List<String> arguments = List.of(owner, millis(leaseTime));
		ScriptCall call = permit ? new ScriptCall(PlainScripts.RENEW_PERMIT, List.of(permits(key)), arguments)
				: new ScriptCall(PlainScripts.RENEW_READ, List.of(key), arguments);
		return Failures.translated(this.link.<Long>send(call), RedisErrors::translate)
			.thenApply((renewed) -> renewed == 1);
	}

	/**
	 * Release for an owner, whichever JVM it belongs to.
	 */
	CompletionStage<Boolean> release(String key, String owner, boolean permit) {
		return release(releasing(key, owner, permit));
	}

	private CompletionStage<Boolean> release(ScriptCall call) {
		return Failures.translated(this.link.<Long>send(call), RedisErrors::translate)
			.thenApply(this.exclusive::hadLock);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private ScriptCall releasing(String key, String owner, boolean permit) {
		return permit ? new ScriptCall(PlainScripts.RELEASE_PERMIT, List.of(permits(key), permitsMark(key)),
				List.of(owner, key)) : this.counters.call(PlainScripts.RELEASE_READ, key, List.of(owner));
	}

	private ScriptCall acquire(LeaseRequest request, String owner) {
		String key = request.key();
		String lease = millis(request.leaseTime());
		if (request.type() == LockType.SEMAPHORE) {
			return new ScriptCall(PlainScripts.ACQUIRE_PERMIT, List.of(permits(key), permitsMark(key)),
					List.of(owner, lease, Integer.toString(request.permits())));
		}
		return this.counters.call(PlainScripts.ACQUIRE_READ, key, List.of(owner, lease));
	}

	static String permits(String key) {
		return TokenCounters.tag(key) + ":permits";
	}

	/**
	 * The mark that somebody waits for a permit.
	 */
	private static String permitsMark(String key) {
		return permits(key) + ":mark";
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
