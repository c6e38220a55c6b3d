package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.support.Failures;

/**
 * Asks the server who has a key, and releases for owners of other JVMs by the scripts
 * with which those would release.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @param link the connections
 * @param exclusive releases what one owner has alone
 * @param shared releases what several owners have
 */
record RedisOwners(RedisLink link, ExclusiveLocks exclusive, SharedLocks shared) implements LockOwners {

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return Failures.translated(ask(this.link, List.of(key, RedisKeys.permits(key))), RedisErrors::translate);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return switch (owner.type()) {
			case READ -> this.shared.release(key, owner.id(), false);
			case SEMAPHORE -> this.shared.release(key, owner.id(), true);
			default -> this.exclusive.revoke(key, owner.id());
		};
	}

	/**
	 * Ask one server.
	 * @param keys the keys of {@link PlainScripts#OWNERS}
	 */
	static CompletionStage<List<LockOwner>> ask(RedisLink server, List<String> keys) {
		return server.<List<String>>send(new ScriptCall(PlainScripts.OWNERS, keys, List.of()))
			.thenApply(OwnerAnswer::read);
	}

}
