package io.distributedlock.redisson;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.RetryPauses;
import io.distributedlock.redis.scripts.SharedLocks;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.ReleaseListeners;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.config.NameMapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants leases on Redis through Redisson, with the key layout of Redisson's own locks.
 * So code that calls {@code redissonClient.getLock(sameName)} and code that uses this
 * library exclude each other. The same holds for {@code getFencedLock},
 * {@code getFairLock}, {@code getReadWriteLock} and {@code getPermitExpirableSemaphore}.
 * Works on every set-up of the client: a single server, Sentinel, Cluster, replicated.
 * Thread-safe.
 * <p>
 * Calls that wait for an exclusive or fair lock are in a line, and a release hands the
 * lock over to the next of them. Callers by hand are let in when the line is empty, and
 * after four grants in a row.
 * <p>
 * The scripts and the names of the owners are this library's. Redisson's watchdog is
 * never started: the engine renews leases. Acquisition and release cost one round trip
 * each. Every key that is written has an expiry.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @since 0.1
 */
public final class RedissonLockProvider implements LockProvider, LockQueue, LockOwners, ReleaseSignal {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "redisson";

	private static final Logger logger = LoggerFactory.getLogger(RedissonLockProvider.class);

	private final RedissonServer server;

	private final RedissonRunner runner;

	private final NameMapper nameMapper;

	private final OwnerNames owners = new OwnerNames();

	/**
	 * The calls that wait outside queues. They are told that somebody by hand has the
	 * lock: all releases by this library are heard without the channel of read and write
	 * locks.
	 */
	private final ReleaseListeners behindOthersByHand = new ReleaseListeners();

	private final ExclusiveLocks exclusive;

	private final SharedLocks shared;

	private final RedissonOwners onServer;

	/**
	 * Create a provider.
	 * @param client the client, which the caller shuts down
	 */
	public RedissonLockProvider(RedissonClient client) {
		this.server = new RedissonServer(client);
		this.runner = new RedissonRunner(this.server);
		this.nameMapper = client.getConfig().getNameMapper();
		this.exclusive = new ExclusiveLocks(this.runner, LockScripts.REDISSON,
				TokenCounters.ofRedisson(client.getConfig().isClusterConfig()));
		this.shared = new SharedLocks(this.exclusive);
		this.onServer = new RedissonOwners(this.server);
	}

	/**
	 * Check in the background what Redis lacks or denies the user, and log it. So the log
	 * says that at the start of the application, and not at the first lock. Without
	 * scripts there are no locks. Without channels waiting calls poll. Without
	 * {@code EVALSHA} each command carries its script. Without {@code WAIT} no replica
	 * confirms a lock. A server that cannot be reached is not reported: that may pass,
	 * and each lock reports it.
	 * @param keyPrefix the prefix of all keys
	 */
	public void checkAccess(String keyPrefix) {
		RedissonNames names = this.onServer.names(keyPrefix + ":access-check");
		// as one that asks for a lock, which replicas confirm
		ScriptCall asking = new ScriptCall(PlainScripts.PING, List.of(names.lock()), List.of()).whileWanted(() -> true);
		// the client connects first, which a subscription would wait for on this thread
		this.server.ping()
			.thenCompose((reached) -> this.exclusive.check((channel) -> this.server.ping(channel)))
			.thenCompose((answer) -> this.server.send(asking))
			.thenCompose((answer) -> this.onServer.readers(names))
			.whenComplete((readers, failure) -> {
				if (failure != null && RedissonErrors.isReply(failure)
						&& !RedissonErrors.translate(failure).isRetryable()) {
					logger.error("Locks of provider {} cannot work: {}", NAME,
							RedissonErrors.translate(failure).getMessage());
				}
			});
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.FAIR, LockCapability.SHARED,
				LockCapability.SEMAPHORE, LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY,
				LockCapability.ANY_KEY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		if (queues(request.type())) {
			return this.exclusive.tryAcquire(mapped(request));
		}
		RedissonOwner owner = new RedissonOwner(this.onServer.names(request.key()), request.type(), this.owners.next());
		return this.shared.tryAcquire(request, owner, () -> this.behindOthersByHand.tell(request.key()));
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.EXCLUSIVE || type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return this.exclusive.enqueue(mapped(request));
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		String lock = this.nameMapper.map(key);
		RedissonRunner.ChannelSubscription byHand = this.runner.listenLater(RedissonNames.sharedChannel(lock),
				onRelease);
		RetryPauses again = new RetryPauses(onRelease);
		Subscription told = this.behindOthersByHand.add(key, () -> {
			byHand.open();
			again.soon();
		});
		Subscription heard = this.runner.listenTo(RedissonNames.channel(lock), () -> {
			// each moment for those by hand begins with a message
			again.reset();
			onRelease.run();
		});
		return () -> {
			told.close();
			byHand.close();
			heard.close();
		};
	}

	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return this.exclusive.renewAll(renewals);
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.onServer.owners(key);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.onServer.revoke(key, owner);
	}

	@Override
	public CompletionStage<?> ping() {
		return Failures.translated(this.server.ping(), RedissonErrors::translate);
	}

	@Override
	public void close() {
		this.exclusive.close();
		this.runner.close();
		this.server.close();
	}

	private LeaseRequest mapped(LeaseRequest request) {
		String key = this.nameMapper.map(request.key());
		return key.equals(request.key()) ? request
				: new LeaseRequest(key, request.leaseTime(), request.type(), request.permits(), request.giveUpAtNanos(),
						request.tokens(), request.lookInterval(), request.lockDelay(), request.interopPolling());
	}

}
