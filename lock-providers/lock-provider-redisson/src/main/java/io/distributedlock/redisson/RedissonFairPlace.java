package io.distributedlock.redisson;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonLock;
import org.redisson.api.RFuture;

/**
 * A place in the queue of Redisson's fair lock. Redisson keeps it and waits for its turn;
 * since nobody can say when it asked last before that, the lease is renewed at once, and
 * starts there.
 */
final class RedissonFairPlace implements LockQueue.Place {

	/**
	 * What was asked in the name of the place a moment before it was left is over by
	 * then.
	 */
	private static final long STRAGGLER_SECONDS = 1;

	private final RedissonLockProvider provider;

	private final LeaseRequest request;

	private final RedissonLock lock;

	private final long owner = RedissonLockProvider.newOwner();

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final AtomicBoolean left = new AtomicBoolean();

	private volatile @Nullable RFuture<Boolean> turn;

	private volatile boolean behindOthers;

	RedissonFairPlace(RedissonLockProvider provider, LeaseRequest request) {
		this.provider = provider;
		this.request = request;
		this.lock = provider.fairLock(request.key());
	}

	/**
	 * Make one attempt.
	 * @return completes with the lease, {@code null} if others have the lock or are in
	 * front
	 */
	CompletionStage<@Nullable Lease> tryOnce() {
		return waitForTurn(0)
			.thenCompose((taken) -> taken ? start() : CompletableFuture.<@Nullable Lease>completedFuture(null))
			.handle((lease, failure) -> {
				if (failure != null) {
					throw this.provider.failed(this.request, failure, this::leaveQueue);
				}
				return lease;
			});
	}

	void enqueue() {
		this.provider.firstContact().<@Nullable Lease>call(this::tryOnce).whenComplete((lease, failure) -> {
			if (failure != null) {
				this.granted.completeExceptionally(RedissonErrors.translate(failure));
			}
			else if (lease != null) {
				grant(lease);
			}
			else if (!this.left.get()) {
				this.behindOthers = true;
				queue();
			}
		});
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		// Redisson looks again itself, and keeps the place alive
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		if (this.granted.isDone() || !this.left.compareAndSet(false, true)) {
			return;
		}
		RFuture<Boolean> waiting = this.turn;
		if (waiting != null) {
			waiting.cancel(false);
		}
		this.provider.unknownOwners().remove(this.request.key(), this.request.leaseTime(), this::leaveQueue);
		CompletableFuture.delayedExecutor(STRAGGLER_SECONDS, TimeUnit.SECONDS).execute(this::leaveQueue);
	}

	private void queue() {
		waitForTurn(TimeUnit.DAYS.toMillis(365)).thenCompose((taken) -> start()).whenComplete((lease, failure) -> {
			if (lease != null) {
				grant(lease);
			}
			else if (!this.left.get()) {
				this.granted.completeExceptionally((failure != null) ? RedissonErrors.translate(failure)
						: new BackendException("the place in the queue is gone", true, null));
			}
		});
	}

	private void grant(Lease lease) {
		if (this.left.get() || !this.granted.complete(lease)) {
			lease.release();
		}
	}

	private RFuture<Boolean> waitForTurn(long waitMillis) {
		RFuture<Boolean> waiting = this.lock.tryLockAsync(waitMillis, this.request.leaseTime().toMillis(),
				TimeUnit.MILLISECONDS, this.owner);
		this.turn = waiting;
		return waiting;
	}

	private CompletionStage<@Nullable Lease> start() {
		String key = this.request.key();
		String field = this.provider.field(this.owner);
		LeaseTerm term = new LeaseTerm(System.nanoTime(), this.request.leaseTime());
		return RedissonScript.RENEW_WITH_TOKEN
			.run(this.provider.scripts(), List.of(key, RedissonLockProvider.tokenKey(key)), field,
					Long.toString(this.request.leaseTime().toMillis()))
			.thenApply((token) -> (token != 0) ? new RedissonLease(this.provider, key, OptionalLong.of(token), term,
					(scripts, leaseTime) -> RedissonScript.RENEW
						.run(scripts, List.of(key), field, Long.toString(leaseTime.toMillis()))
						.thenApply((renewed) -> renewed == 1),
					() -> this.provider.release(this.lock, this.owner)) : null);
	}

	private CompletionStage<Boolean> leaveQueue() {
		String key = this.request.key();
		return RedissonScript.LEAVE_QUEUE
			.run(this.provider.scripts(),
					List.of(key, "redisson_lock_queue:{" + key + "}", "redisson_lock_timeout:{" + key + "}"),
					this.provider.field(this.owner))
			.thenApply((done) -> true);
	}

}
