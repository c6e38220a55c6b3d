package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases by a majority of Redis servers that know nothing of each other, by the
 * Redlock algorithm (<a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>): the same owner is set on all of them at once, each is waited for
 * a short time only, and what remains of the lease after that and after the drift of
 * their clocks is what the holder may rely on. Thread-safe.
 * <p>
 * It has no fencing token: there is no number that all servers would count up together.
 * So it makes it unlikely that work is done twice, and cannot protect data from a holder
 * that was paused beyond its lease.
 *
 * @since 0.1
 */
public final class RedlockProvider implements LockProvider {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redlock";

	/**
	 * Attempts of a call that finds the servers divided between several owners, after
	 * each of which all of them give back what they got.
	 */
	private static final int ATTEMPTS = 3;

	private static final long LONGEST_PAUSE_MILLIS = 50;

	private final List<RedisLink> nodes;

	private final Duration nodeTimeout;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider.
	 * @param clients one client for each server, made with its address; at least three,
	 * and best an odd number. They stay the caller's to shut down
	 * @param nodeTimeout how long to wait for the answer of one server; leases are at
	 * least five times as long
	 */
	public RedlockProvider(List<RedisClient> clients, Duration nodeTimeout) {
		if (clients.size() < 3) {
			throw new IllegalArgumentException(
					"Redlock needs at least three independent servers, and there are %d".formatted(clients.size()));
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
		return new LeaseLimits(this.nodeTimeout.multipliedBy(5), LeaseLimits.DEFAULT.longest());
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return tryAcquire(request, ATTEMPTS);
	}

	CompletionStage<@Nullable LeaseTerm> renew(RedlockAttempt attempt, Duration leaseTime) {
		long sentAt = System.nanoTime();
		RedisCall renewal = RedisCall.of(RedisScript.RENEW, new String[] { attempt.key() }, attempt.owner(),
				Long.toString(leaseTime.toMillis()));
		return Votes.collect(ask(renewal)).thenApply((votes) -> {
			if (votes.isWon()) {
				return new LeaseTerm(sentAt, leaseTime);
			}
			if (votes.isLost()) {
				return null;
			}
			throw undecided(votes);
		});
	}

	/**
	 * Give back on every server, also where the owner may not have been set, and later
	 * where the server cannot be asked now.
	 */
	CompletionStage<Boolean> release(RedlockAttempt attempt, Duration leaseTime) {
		boolean first = attempt.end();
		List<CompletionStage<Boolean>> answers = ask(removal(attempt));
		for (int i = 0; first && i < answers.size(); i++) {
			int node = i;
			answers.get(i).whenComplete((released, failure) -> {
				if (failure != null) {
					removeLater(attempt, node, leaseTime);
				}
			});
		}
		return Votes.collect(answers).thenApply((votes) -> {
			if (votes.isWon()) {
				return true;
			}
			if (votes.isLost()) {
				return false;
			}
			throw undecided(votes);
		});
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
				return CompletableFuture.completedFuture(new RedlockLease(this, attempt, term));
			}
			attempt.end();
			for (int i = 0; i < this.nodes.size(); i++) {
				removeLater(attempt, i, request.leaseTime());
			}
			if (votes.yes() > 0 && attempts > 1 && request.remainingNanos() > 0) {
				return pause().thenCompose((ignored) -> tryAcquire(request, attempts - 1));
			}
			if (votes.isLost()) {
				return CompletableFuture.completedFuture(null);
			}
			throw undecided(votes);
		});
	}

	private void removeLater(RedlockAttempt attempt, int node, Duration leaseTime) {
		attempt.ifTaken(node, () -> this.unknownOwners.remove(attempt.key(), leaseTime,
				() -> send(this.nodes.get(node), removal(attempt))));
	}

	private List<CompletionStage<Boolean>> ask(RedisCall call) {
		return this.nodes.stream().map((node) -> send(node, call)).toList();
	}

	private static CompletionStage<Boolean> send(RedisLink node, RedisCall call) {
		return node.send(call).thenApply((answer) -> answer == 1);
	}

	private static RedisCall removal(RedlockAttempt attempt) {
		return RedisCall.of(RedisScript.RELEASE, new String[] { attempt.key() }, attempt.owner()).asRemoval();
	}

	private static CompletableFuture<Void> pause() {
		Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, LONGEST_PAUSE_MILLIS));
		return CompletableFuture.runAsync(() -> {
		}, DelayedTasks.after(pause));
	}

	private static BackendException undecided(Votes votes) {
		return new BackendException("%d of %d servers failed or answered too late, and a majority is needed"
			.formatted(votes.failed(), votes.servers()), true, votes.failure());
	}

}
