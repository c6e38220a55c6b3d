package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.LockCapability;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases by a majority of independent Redis servers, after the Redlock algorithm
 * (<a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>). All servers are asked at the same time to set the same owner,
 * and each has a short time to answer. The holder may rely on the lease time less the
 * time of these answers and less the drift of the servers' clocks. Thread-safe.
 * <p>
 * There is no fencing token, as no number is counted by all servers together. So Redlock
 * makes it unlikely that work is done twice, but cannot protect data from a holder that
 * was paused beyond its lease.
 *
 * @since 0.1
 */
public final class RedlockProvider implements LockProvider, LockOwners {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redlock";

	/**
	 * How often a call tries that finds the servers divided between several owners. After
	 * each try its owner is removed from the servers that have set it. After the last try
	 * the engine asks again at its own interval.
	 */
	private static final int ATTEMPTS = 3;

	/**
	 * Callers that have divided the servers pause for random times before they try again,
	 * or they would divide them once more.
	 */
	private static final long LONGEST_PAUSE_MILLIS = 50;

	private final List<RedisLink> nodes;

	private final Duration nodeTimeout;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider.
	 * @param clients one client for each server, created with its address; at least
	 * three, and best an odd number. The caller shuts them down
	 * @param nodeTimeout how long to wait for the answer of one server; leases are at
	 * least five times as long
	 */
	public RedlockProvider(List<RedisClient> clients, Duration nodeTimeout) {
		if (clients.size() < 3) {
			throw new IllegalArgumentException(
					"Redlock needs at least three independent servers, and there are %s".formatted(clients.size()));
		}
		this.nodes = clients.stream().map((client) -> new RedisLink(client, nodeTimeout)).toList();
		this.nodeTimeout = nodeTimeout;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY, LockCapability.SURVIVES_FAILOVER);
	}

	@Override
	public LeaseLimits leaseLimits() {
		// the time of the answers counts against the lease, and most of it must remain
		return new LeaseLimits(this.nodeTimeout.multipliedBy(5), LeaseLimits.DEFAULT.longest());
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return tryAcquire(request, ATTEMPTS);
	}

	private CompletionStage<Boolean> renew(RedlockAttempt attempt, Duration leaseTime) {
		ScriptCall renewal = new ScriptCall(PlainScripts.RENEW_TAKEN, List.of(attempt.key()),
				List.of(attempt.owner(), Long.toString(leaseTime.toMillis())));
		return Votes.decide(ask(renewal));
	}

	/**
	 * Release on every server, also on those that may not have set the owner. A server
	 * that cannot be asked now, or sets the owner later, is asked later.
	 */
	private CompletionStage<Boolean> release(RedlockAttempt attempt, Duration leaseTime) {
		boolean first = attempt.end();
		List<CompletionStage<Boolean>> answers = ask(removal(attempt));
		for (int i = 0; first && i < answers.size(); i++) {
			int node = i;
			answers.get(i).whenComplete((released, failure) -> {
				// the release may also have overtaken the request, which a majority had
				// answered
				if (failure != null || !released) {
					remove(attempt, node, leaseTime);
				}
			});
		}
		return Votes.decide(answers);
	}

	/**
	 * Ask all servers who has a key. Only who has it on a majority of them is an owner.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		List<CompletableFuture<List<LockOwner>>> answers = this.nodes.stream()
			.map((node) -> owners(node, List.of(key)).toCompletableFuture())
			.toList();
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((done, failure) -> {
			List<List<LockOwner>> answered = answers.stream()
				.filter((answer) -> !answer.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.toList();
			return new RedlockCensus(this.nodes.size(), answered, failure).owners();
		});
	}

	/**
	 * Ask one server.
	 * @param keys the keys of {@link PlainScripts#OWNERS}
	 */
	static CompletionStage<List<LockOwner>> owners(RedisLink server, List<String> keys) {
		return server.<List<String>>send(new ScriptCall(PlainScripts.OWNERS, keys, List.of()))
			.thenApply(OwnerAnswer::read);
	}

	/**
	 * Release for an owner of any JVM. A server that does not answer keeps the owner
	 * until its lease ends: it cannot be renewed without a majority.
	 */
	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return Votes.decide(ask(new ScriptCall(PlainScripts.RELEASE_TAKEN, List.of(key), List.of(owner.id()))));
	}

	/**
	 * Ask all servers, of which a majority must answer.
	 */
	@Override
	public CompletionStage<?> ping() {
		return Votes.decide(
				this.nodes.stream().map((node) -> node.ping(List.of()).<Boolean>thenApply((answer) -> true)).toList());
	}

	@Override
	public void close() {
		this.unknownOwners.close();
		this.nodes.forEach(RedisLink::close);
	}

	private CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request, int attempts) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		RedlockAttempt attempt = new RedlockAttempt(this.nodes, request, this.owners.next());
		return attempt.votes().thenCompose((votes) -> {
			if (votes.isWon() && term.deadlineNanos() - System.nanoTime() > 0) {
				return CompletableFuture.completedFuture(lease(attempt, term));
			}
			return withdraw(attempt, request.leaseTime()).thenCompose((withdrawn) -> {
				if (votes.yes() > 0 && attempts > 1 && request.remainingNanos() > 0) {
					return pause().thenCompose((ignored) -> tryAcquire(request, attempts - 1));
				}
				if (votes.isLost()) {
					return CompletableFuture.completedFuture(null);
				}
				throw votes.undecided();
			});
		});
	}

	/**
	 * Remove the owner of an attempt that is not granted from the servers that have set
	 * it. Nobody is told of the refusal before: the owner would stand in front of whoever
	 * asks after the answer. A silent server delays that by its time-out at most.
	 * @return completes when each server has been asked once, and never fails
	 */
	private CompletableFuture<Void> withdraw(RedlockAttempt attempt, Duration leaseTime) {
		attempt.end();
		return CompletableFuture
			.allOf(IntStream.range(0, this.nodes.size())
				.mapToObj((node) -> remove(attempt, node, leaseTime).toCompletableFuture())
				.toArray(CompletableFuture<?>[]::new))
			.completeOnTimeout(null, this.nodeTimeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	private Lease lease(RedlockAttempt attempt, LeaseTerm term) {
		return new CommandLease(attempt.key(), term, CommandLease.renewal((leaseTime) -> renew(attempt, leaseTime)),
				() -> release(attempt, term.granted()))
			.withOwnerId(attempt.owner());
	}

	private CompletionStage<?> remove(RedlockAttempt attempt, int node, Duration leaseTime) {
		return attempt.ifTaken(node, () -> this.unknownOwners.remove(attempt.key(), leaseTime,
				() -> send(this.nodes.get(node), removal(attempt))));
	}

	private List<CompletionStage<Boolean>> ask(ScriptCall call) {
		return this.nodes.stream().map((node) -> send(node, call)).toList();
	}

	private static CompletionStage<Boolean> send(RedisLink node, ScriptCall call) {
		return node.<Long>send(call).thenApply((answer) -> answer == 1);
	}

	private static ScriptCall removal(RedlockAttempt attempt) {
		return new ScriptCall(PlainScripts.RELEASE_TAKEN, List.of(attempt.key()), List.of(attempt.owner())).asRemoval();
	}

	private static CompletableFuture<Void> pause() {
		Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, LONGEST_PAUSE_MILLIS));
		return CompletableFuture.runAsync(() -> {
		}, DelayedTasks.after(pause));
	}

}
