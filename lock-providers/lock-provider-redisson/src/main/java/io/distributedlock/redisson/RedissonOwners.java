package io.distributedlock.redisson;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
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
	 * Ask for the lock and for its permits at the same time. One script cannot do it: a
	 * {@link NameMapper} may put the two into different slots of a cluster.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		RedissonNames names = RedissonNames.of(key, this.nameMapper);
		CompletionStage<List<LockOwner>> ofPermits = ask(
				new RedissonCall(RedissonScript.OWNERS_OF_PERMITS.publishing(""), names.permitsName(),
						List.of(names.permitTimes()), List.of()));
		return ask(new RedissonCall(RedissonScript.OWNERS_OF_LOCK.publishing(""), names.lockName(),
				List.of(names.lock()), List.of(names.beforeReader(), names.afterReader())))
			.thenCombine(ofPermits, (first, second) -> Stream.concat(first.stream(), second.stream()).toList());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		RedissonNames names = RedissonNames.of(key, this.nameMapper);
		return this.server.channels()
			.publishCommand()
			.thenCompose((publish) -> (owner.type() == LockType.SEMAPHORE)
					? this.server.send(ofPermit(new RedissonOwner(names, owner.type(), owner.id()), publish))
					: revoke(names, owner.id(), publish))
			.handle((had, failure) -> {
				if (failure != null) {
					throw RedissonErrors.translate(failure);
				}
				return had > 0;
			});
	}

	private CompletionStage<List<LockOwner>> ask(RedissonCall call) {
		return this.server.sendForTexts(call).handle((answer, failure) -> {
			if (failure != null) {
				throw RedissonErrors.translate(failure);
			}
			return OwnerAnswer.read(answer);
		});
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
