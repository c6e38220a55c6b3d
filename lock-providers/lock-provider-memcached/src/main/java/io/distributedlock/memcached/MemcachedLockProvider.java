package io.distributedlock.memcached;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;

import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheStatus;
import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on Memcached through Folsom: a lock is an item that is added with an
 * expiry. Renewal and release compare the item's version. Thread-safe.
 * <p>
 * Best effort: Memcached may evict an item before it expires, and loses all items when it
 * is restarted. It has no number that rises from owner to owner, so there is no fencing
 * token. It measures time in whole seconds of its own clock, so that an item may expire
 * up to two seconds too early. So the item gets a longer expiry, and the holder relies on
 * the lease time only. Each key is on one server: several servers share the keys, and do
 * not vote.
 *
 * @since 0.1
 */
public final class MemcachedLockProvider implements LockProvider, LockOwners {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "memcached";

	/**
	 * Expiry has a resolution of one second, so a lease below three seconds would be
	 * mostly rounding. A number of more than 30 days is a date in the protocol; two
	 * seconds less, as the item's expiry is that much longer than the lease.
	 */
	private static final LeaseLimits LIMITS = new LeaseLimits(Duration.ofSeconds(3),
			Duration.ofDays(30).minusSeconds(2));

	private static final String PING_KEY = "lock-ping";

	private final MemcacheClient<String> client;

	private final Duration commandTimeout;

	private final MemcachedContact contact;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider.
	 * @param client the client, for the ASCII or the binary protocol; the caller shuts it
	 * down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public MemcachedLockProvider(MemcacheClient<String> client, Duration commandTimeout) {
		this.client = client;
		this.commandTimeout = commandTimeout;
		this.contact = new MemcachedContact(client, commandTimeout);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.LOCK_DELAY);
	}

	@Override
	public LeaseLimits leaseLimits() {
		return LIMITS;
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return this.contact.first().thenCompose((met) -> reach(request.key())).thenCompose((reached) -> {
			if (request.remainingNanos() <= 0) {
				throw MemcachedErrors.translate(new TimeoutException());
			}
			return add(request);
		});
	}

	/**
	 * Read an item, if a server cannot be reached. During an outage that fails, and
	 * leaves no owner who would have to be removed for each attempt.
	 */
	private CompletionStage<?> reach(String key) {
		return this.contact.isComplete() ? CompletableFuture.completedFuture(null)
				: Failures.translated(bounded(this.client.get(key)), this::translate);
	}

	private CompletionStage<@Nullable Lease> add(LeaseRequest request) {
		String key = request.key();
		String owner = this.owners.next();
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		CompletionStage<Boolean> added = bounded(this.client.add(key, owner, expiry(request.leaseTime())))
			.thenCompose((status) -> switch (status) {
				case OK -> CompletableFuture.completedFuture(true);
				case ITEM_NOT_STORED, KEY_EXISTS -> isOwn(request, owner);
				default -> throw MemcachedErrors.refused(status);
			});
		return added.handle((own, failure) -> {
			if (failure != null) {
				this.unknownOwners.remove(key, request.leaseTime(), () -> release(key, owner));
				throw translate(failure);
			}
			return own ? lease(key, owner, term) : null;
		});
	}

	private Lease lease(String key, String owner, LeaseTerm term) {
		return new CommandLease(key, term, CommandLease.renewal((leaseTime) -> renew(key, owner, leaseTime)),
				() -> release(key, owner))
			.withOwnerId(owner);
	}

	/**
	 * Return whether the present item is this owner's: a client that sends a command
	 * again after its connection was lost finds the item that it has added.
	 */
	private CompletionStage<Boolean> isOwn(LeaseRequest request, String owner) {
		if (request.remainingNanos() <= 0) {
			throw MemcachedErrors.translate(new TimeoutException());
		}
		return bounded(this.client.get(request.key())).thenApply(owner::equals);
	}

	private CompletionStage<Boolean> renew(String key, String owner, Duration leaseTime) {
		return change(key, owner, (version) -> this.client.set(key, owner, expiry(leaseTime), version));
	}

	private CompletionStage<Boolean> release(String key, String owner) {
		return change(key, owner, (version) -> this.client.delete(key, version));
	}

	/**
	 * Read the item, whose value is the owner. How long it lives is not read.
	 */
	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return Failures
			.translated(this.contact.first().thenCompose((met) -> bounded(this.client.get(key))), this::translate)
			.thenApply((owner) -> (owner != null)
					? List.of(new LockOwner(owner, LockType.EXCLUSIVE, OptionalLong.empty(), Optional.empty()))
					: List.of());
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		if (owner.type() != LockType.EXCLUSIVE) {
			throw new UnsupportedOperationException(
					"The provider '%s' has no locks of type %s: give it an owner that its owners() has returned"
						.formatted(NAME, owner.type()));
		}
		return this.contact.first().thenCompose((met) -> release(key, owner.id()));
	}

	/**
	 * Read an item of each server, as each has a part of the keys. There need not be such
	 * an item. The client knows its servers once it is connected: until then its own
	 * failure is the answer.
	 */
	@Override
	public CompletionStage<?> ping() {
		return Failures.translated(this.contact.first()
			.thenCompose((met) -> CompletableFuture.allOf(servers().stream()
				.map((server) -> bounded(server.get(PING_KEY)))
				.toArray(CompletableFuture<?>[]::new))), this::translate);
	}

	private Collection<? extends MemcacheClient<String>> servers() {
		Collection<? extends MemcacheClient<String>> known = this.client.getAllNodes().values();
		return known.isEmpty() ? List.of(this.client) : known;
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private CompletionStage<Boolean> change(String key, String owner,
			LongFunction<CompletionStage<MemcacheStatus>> command) {
		long untilNanos = System.nanoTime() + this.commandTimeout.toNanos();
		return Failures.translated(change(key, owner, command, untilNanos), this::translate);
	}

	/**
	 * Change the version of an owner's item that was read. A renewal that comes in
	 * between, perhaps late and over another connection of the client, makes another
	 * version of the item, with the same owner. Nothing is sent again after the caller
	 * has given up.
	 * @return completes with whether the item was this owner's
	 */
	private CompletionStage<Boolean> change(String key, String owner,
			LongFunction<CompletionStage<MemcacheStatus>> command, long untilNanos) {
		return bounded(this.client.casGet(key)).thenCompose((item) -> {
			if (item == null || !owner.equals(item.getValue())) {
				return CompletableFuture.completedFuture(false);
			}
			return bounded(command.apply(item.getCas())).thenCompose((status) -> {
				if (status != MemcacheStatus.KEY_EXISTS) {
					return CompletableFuture.completedFuture(isDone(status));
				}
				return (System.nanoTime() - untilNanos < 0) ? change(key, owner, command, untilNanos)
						: CompletableFuture.failedFuture(MemcachedErrors.alwaysRenewed());
			});
		});
	}

	private BackendException translate(Throwable failure) {
		return this.contact.explain(MemcachedErrors.translate(failure));
	}

	private <T extends @Nullable Object> CompletableFuture<T> bounded(CompletionStage<T> answer) {
		return answer.toCompletableFuture().copy().orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	private static boolean isDone(MemcacheStatus status) {
		return switch (status) {
			case OK -> true;
			case KEY_NOT_FOUND, ITEM_NOT_STORED -> false;
			default -> throw MemcachedErrors.refused(status);
		};
	}

	/**
	 * Return an expiry with which the item lives at least as long as the lease. Memcached
	 * reads its clock once a second and counts whole seconds: together they take up to
	 * two seconds off.
	 */
	private static int expiry(Duration leaseTime) {
		return Math.toIntExact(leaseTime.plusMillis(999).toSeconds()) + 2;
	}

}
