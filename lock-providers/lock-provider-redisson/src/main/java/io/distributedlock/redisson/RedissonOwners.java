package io.distributedlock.redisson;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.redisson.internal.client.RedissonCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.support.Failures;
import org.redisson.config.NameMapper;

/**
 * Asks the server who has a key, through this library or by hand, and releases for these
 * owners.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @param server sends the scripts
 * @param nameMapper maps names of locks to keys
 */
record RedissonOwners(RedissonServer server, NameMapper nameMapper) implements LockOwners {

	/**
	 * The answer to {@link RedissonScript#OWNERS_OF_LOCK} if readers have the lock.
	 */
	private static final List<String> SHARED = List.of("READ");

	/**
	 * Ask for the lock and for its permits at the same time. One script cannot do it: a
	 * {@link NameMapper} may put the two into different slots of a cluster.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		RedissonNames names = RedissonNames.of(key, this.nameMapper);
		CompletionStage<List<LockOwner>> ofPermits = read(
				this.server.sendForTexts(new RedissonCall(RedissonScript.OWNERS_OF_PERMITS.publishing(""),
						names.permitsName(), List.of(names.permitTimes()), List.of())));
		return read(ofLock(names)).thenCombine(ofPermits,
				(first, second) -> Stream.concat(first.stream(), second.stream()).toList());
	}

	/**
	 * Ask for the readers of a lock.
	 * @return completes with the server's answer
	 */
	CompletionStage<List<String>> readers(RedissonNames names) {
		return this.server.sendForTexts(
				ofLock(RedissonScript.OWNERS_OF_READERS, names, List.of(names.beforeReader(), names.afterReader())));
	}

	private CompletionStage<List<String>> ofLock(RedissonNames names) {
		return this.server.sendForTexts(ofLock(RedissonScript.OWNERS_OF_LOCK, names, List.of()))
			.thenCompose(
					(answer) -> answer.equals(SHARED) ? readers(names) : CompletableFuture.completedFuture(answer));
	}

	private static RedissonCall ofLock(RedissonScript script, RedissonNames names, List<String> arguments) {
		return new RedissonCall(script.publishing(""), names.lockName(), List.of(names.lock()), arguments);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		RedissonNames names = RedissonNames.of(key, this.nameMapper);
		CompletionStage<Long> released = this.server.channels()
			.publishCommand()
			.thenCompose((publish) -> (owner.type() == LockType.SEMAPHORE)
					? this.server.send(ofPermit(new RedissonOwner(names, owner.type(), owner.id()), publish))
					: revoke(names, owner.id(), publish));
		return Failures.translated(released, RedissonErrors::translate).thenApply((had) -> had > 0);
	}

	private static CompletionStage<List<LockOwner>> read(CompletionStage<List<String>> asked) {
		return Failures.translated(asked, RedissonErrors::translate).thenApply(OwnerAnswer::read);
	}

	private CompletionStage<Long> revoke(RedissonNames names, String owner, String publish) {
		return this.server
			.send(new RedissonCall(RedissonScript.REVOKE.publishing(publish), names.lockName(), names.keys(),
					List.of(owner)))
			.thenCompose((had) -> (had >= 0) ? CompletableFuture.completedFuture(had)
					: this.server.send(ofReader(new RedissonOwner(names, LockType.READ, owner), publish)));
	}

	private static RedissonCall ofReader(RedissonOwner owner, String publish) {
		RedissonCall release = owner.release(publish);
		return new RedissonCall(RedissonScript.REVOKE_READ.publishing(publish), release.route(), release.keys(),
				release.needed(), release.arguments());
	}

	private static RedissonCall ofPermit(RedissonOwner owner, String publish) {
		RedissonCall release = owner.release(publish);
		return new RedissonCall(RedissonScript.REVOKE_PERMIT.publishing(publish), release.route(), release.keys(),
				release.arguments());
	}

}
