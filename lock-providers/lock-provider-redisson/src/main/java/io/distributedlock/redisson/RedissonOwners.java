package io.distributedlock.redisson;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.support.Failures;

/**
 * Asks the server who has a key, through this library or by hand, and releases for these
 * owners.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @param server sends the scripts
 */
record RedissonOwners(RedissonServer server) implements LockOwners {

	/**
	 * The answer to {@link RedissonScript#OWNERS_OF_LOCK} if readers have the lock.
	 */
	private static final List<String> SHARED = List.of("READ");

	/**
	 * Ask for the lock and for its permits at the same time. One script cannot do it: a
	 * {@link org.redisson.config.NameMapper} may put the two into different slots of a
	 * cluster.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		RedissonNames names = names(key);
		CompletionStage<List<LockOwner>> ofPermits = read(
				send(RedissonScript.OWNERS_OF_PERMITS, List.of(names.permits(), names.permitTimes())));
		CompletionStage<List<String>> ofLock = send(RedissonScript.OWNERS_OF_LOCK, List.of(names.lock()));
		return read(ofLock.thenCompose(
				(answer) -> answer.equals(SHARED) ? readers(names) : CompletableFuture.completedFuture(answer)))
			.thenCombine(ofPermits, (first, second) -> Stream.concat(first.stream(), second.stream()).toList());
	}

	/**
	 * Ask for the readers of a lock.
	 * @return completes with the server's answer
	 */
	CompletionStage<List<String>> readers(RedissonNames names) {
		return send(RedissonScript.OWNERS_OF_READERS, List.of(names.lock()), names.beforeReader(),
				RedissonNames.AFTER_READER);
	}

	private CompletionStage<List<String>> send(Script script, List<String> keys, String... arguments) {
		return this.server.send(new ScriptCall(script, keys, List.of(arguments)));
	}

	RedissonNames names(String key) {
		return RedissonNames.of(key, this.server.client().getConfig());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		RedissonNames names = names(key);
		CompletionStage<Long> released = (owner.type() == LockType.SEMAPHORE)
				? revoke(new RedissonOwner(names, owner.type(), owner.id()), RedissonScript.REVOKE_PERMIT)
				: this.server
					.<Long>send(new ScriptCall(RedissonScript.REVOKE, names.counters().keys(names.lock()),
							List.of(owner.id())))
					.thenCompose((had) -> (had >= 0) ? CompletableFuture.completedFuture(had)
							: revoke(new RedissonOwner(names, LockType.READ, owner.id()), RedissonScript.REVOKE_READ));
		return Failures.translated(released, RedissonErrors::translate).thenApply((had) -> had > 0);
	}

	private CompletionStage<Long> revoke(RedissonOwner owner, Script script) {
		return this.server.send(owner.release().running(script));
	}

	private static CompletionStage<List<LockOwner>> read(CompletionStage<List<String>> asked) {
		return Failures.translated(asked, RedissonErrors::translate).thenApply(OwnerAnswer::read);
	}

}
