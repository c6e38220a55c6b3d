package io.distributedlock.memcached;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheStatus;
import io.distributedlock.LockCapability;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases on Memcached through Folsom: an item that is added with an expiry if
 * nobody has it, and a compare-and-set by the item's version to renew and to release.
 * Thread-safe.
 * <p>
 * Best effort: Memcached may evict an item before it expires, and forgets everything when
 * it is restarted. It has no number that rises from owner to owner, so there is no
 * fencing token. It counts time in whole seconds of its own tick, so that an item lives
 * up to two seconds less than asked for: the item is given more, and the holder keeps to
 * the lease. A key lives on one server; several servers share keys out and do not vote.
 *
 * @since 0.1
 */
public final class MemcachedLockProvider implements LockProvider {

	/**
	 * The name of this provider.
	 */
	public static final String NAME = "memcached";

	/**
	 * A second of expiry is all that a tick can tell apart: below three of them a lease
	 * is mostly rounding. Beyond 30 days the protocol takes a number for a date.
	 */
	private static final LeaseLimits LIMITS = new LeaseLimits(Duration.ofSeconds(3),
			Duration.ofDays(30).minusSeconds(2));

	private final MemcacheClient<String> client;

	private final Duration commandTimeout;

	private final MemcachedContact contact;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	/**
	 * Create a provider.
	 * @param client the client, for either protocol; it stays the caller's to shut down
	 * @param commandTimeout how long to wait for the answer to a command
	 */
	public MemcachedLockProvider(MemcacheClient<String> client, Duration commandTimeout) {
		this.client = client;
		this.commandTimeout = commandTimeout;
		this.contact = new MemcachedContact(client);
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
		Duration patience = Duration.ofNanos(Math.min(request.remainingNanos(), this.commandTimeout.toNanos()));
		return this.contact.first(patience)
			.thenCompose((met) -> (request.remainingNanos() > 0) ? add(request)
					: CompletableFuture.failedFuture(MemcachedErrors.givenUp()));
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
			return own ? new MemcachedLease(this, key, owner, term) : null;
		});
	}

	/**
	 * A client that sends a command again after a lost connection finds its own item.
	 */
	private CompletionStage<Boolean> isOwn(LeaseRequest request, String owner) {
		if (request.remainingNanos() <= 0) {
			throw MemcachedErrors.givenUp();
		}
		return bounded(this.client.get(request.key())).thenApply(owner::equals);
	}

	CompletionStage<@Nullable LeaseTerm> renew(String key, String owner, Duration leaseTime) {
		return ifOwned(key, owner, (version) -> {
			LeaseTerm term = new LeaseTerm(System.nanoTime(), leaseTime);
			return bounded(this.client.set(key, owner, expiry(leaseTime), version))
				.thenApply((status) -> isDone(status) ? term : null);
		});
	}

	CompletionStage<Boolean> release(String key, String owner) {
		return ifOwned(key, owner,
				(version) -> bounded(this.client.delete(key, version)).thenApply((status) -> isDone(status)))
			.thenApply((released) -> released != null && released);
	}

	@Override
	public void close() {
		this.unknownOwners.close();
	}

	private <T> CompletionStage<@Nullable T> ifOwned(String key, String owner, VersionedCommand<T> command) {
		CompletableFuture<@Nullable T> result = new CompletableFuture<>();
		CompletionStage<@Nullable T> answer = bounded(this.client.casGet(key)).thenCompose(
				(item) -> isOwned(item, owner) ? command.send(item.getCas()) : CompletableFuture.completedFuture(null));
		answer.whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally(translate(failure));
			}
			else {
				result.complete(value);
			}
		});
		return result;
	}

	private BackendException translate(Throwable failure) {
		return this.contact.explain(MemcachedErrors.translate(failure));
	}

	private <T extends @Nullable Object> CompletableFuture<T> bounded(CompletionStage<T> answer) {
		return answer.toCompletableFuture().copy().orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	private static boolean isOwned(@Nullable GetResult<String> item, String owner) {
		return item != null && owner.equals(item.getValue());
	}

	private static boolean isDone(MemcacheStatus status) {
		return switch (status) {
			case OK -> true;
			case KEY_EXISTS, KEY_NOT_FOUND, ITEM_NOT_STORED -> false;
			default -> throw MemcachedErrors.refused(status);
		};
	}

	/**
	 * Return a time to live of which Memcached keeps at least the lease, whenever the
	 * item is written: its clock is up to a second old, and says whole seconds.
	 */
	private static int expiry(Duration leaseTime) {
		return Math.toIntExact(leaseTime.plusMillis(999).toSeconds()) + 2;
	}

	/**
	 * A command that takes effect only on one version of an item.
	 */
	@FunctionalInterface
	private interface VersionedCommand<T> {

		CompletionStage<@Nullable T> send(long version);

	}

}
