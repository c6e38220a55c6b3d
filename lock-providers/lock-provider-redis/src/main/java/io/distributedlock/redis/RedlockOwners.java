package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;

/**
 * Asks independent servers who has a key, and releases there for owners of other JVMs. A
 * server that does not answer to such a release keeps the owner until its lease ends: it
 * cannot be renewed without a majority.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 *
 * @param servers the servers
 */
record RedlockOwners(List<RedisLink> servers) implements LockOwners {

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		List<CompletableFuture<List<LockOwner>>> answers = this.servers.stream()
			.map((server) -> RedisOwners.ask(server, List.of(key)).toCompletableFuture())
			.toList();
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
			.handle((done,
					failure) -> new RedlockCensus(this.servers.size(),
							answers.stream()
								.filter((answer) -> !answer.isCompletedExceptionally())
								.map(CompletableFuture::join)
								.toList(),
							failure)
						.owners());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		ScriptCall release = new ScriptCall(PlainScripts.RELEASE_TAKEN, List.of(key), List.of(owner.id()));
		return Votes.decide(this.servers.stream()
			.<CompletionStage<Boolean>>map((server) -> server.<Long>send(release).thenApply((had) -> had == 1))
			.toList());
	}

}
