package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.LeaseRequest;

/**
 * An attempt to grant one owner the lock on all servers at the same time.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
final class RedlockAttempt {

	private final String key;

	private final String owner;

	private final AtomicBoolean wanted = new AtomicBoolean(true);

	private final List<CompletionStage<Boolean>> answers;

	RedlockAttempt(List<RedisLink> nodes, LeaseRequest request, String owner) {
		this.key = request.key();
		this.owner = owner;
		// in one message: with two, the removal of the owner could come between them
		ScriptCall take = new ScriptCall(PlainScripts.TAKE, List.of(this.key),
				List.of(owner, Long.toString(request.leaseTime().toMillis())))
			.sentWhole()
			.whileWanted(() -> this.wanted.get() && request.remainingNanos() > 0);
		this.answers = nodes.stream().map((node) -> node.<Long>send(take).thenApply((taken) -> taken == 1)).toList();
	}

	String key() {
		return this.key;
	}

	String owner() {
		return this.owner;
	}

	CompletableFuture<Votes> votes() {
		return Votes.collect(this.answers);
	}

	/**
	 * End the attempt: commands that still wait for the first connection to a server are
	 * not sent.
	 * @return whether this was the first call
	 */
	boolean end() {
		return this.wanted.getAndSet(false);
	}

	/**
	 * Run a task once a server has answered, if it may have granted the owner the lock.
	 * @return completes after the task; never fails if the task does not
	 */
	CompletionStage<?> ifTaken(int node, Supplier<CompletionStage<?>> task) {
		return this.answers.get(node)
			.handle((taken, failure) -> (failure != null) ? !RedisErrors.isRefusal(failure) : taken)
			.thenCompose((maybeTaken) -> maybeTaken ? task.get() : CompletableFuture.completedFuture(null));
	}

}
