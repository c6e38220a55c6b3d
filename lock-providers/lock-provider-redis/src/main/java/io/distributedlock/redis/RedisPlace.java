package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of a key. It asks at each message of a release and when the engine
 * says so; with each question it counts as alive for another length of the lease.
 */
final class RedisPlace implements LockQueue.Place {

	private final RedisLockProvider provider;

	private final LeaseRequest request;

	private final String owner;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final AtomicReference<Look> look = new AtomicReference<>(Look.NONE);

	private final AtomicBoolean left = new AtomicBoolean();

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> messages = new AtomicReference<>();

	private volatile boolean behindOthers;

	RedisPlace(RedisLockProvider provider, LeaseRequest request, String owner) {
		this.provider = provider;
		this.request = request;
		this.owner = owner;
	}

	void start() {
		lookAgain();
		this.granted.whenComplete((lease, failure) -> stopListening());
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		if (this.left.get() || this.granted.isDone() || !this.look.compareAndSet(Look.NONE, Look.UNDER_WAY)) {
			return;
		}
		this.provider.acquireInTurn(this.request, this.owner).whenComplete((lease, failure) -> {
			if (failure != null) {
				onFailure(failure);
			}
			else if (lease != null) {
				onLease(lease);
			}
			else {
				this.behindOthers = true;
				listen();
			}
			if (this.look.getAndSet(Look.NONE) == Look.WANTED_AGAIN) {
				lookAgain();
			}
		});
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		if (!this.granted.isDone() && this.left.compareAndSet(false, true)) {
			stopListening();
			this.provider.unknownOwners()
				.remove(this.request.key(), this.request.leaseTime(),
						() -> this.provider.leaveQueue(this.request.key(), this.owner));
		}
	}

	private void onMessage() {
		// what was asked before the message may be stale
		if (!this.look.compareAndSet(Look.UNDER_WAY, Look.WANTED_AGAIN)) {
			lookAgain();
		}
	}

	private void onLease(Lease lease) {
		if (this.left.get() || !this.granted.complete(lease)) {
			lease.release();
		}
	}

	private void onFailure(Throwable failure) {
		BackendException translated = RedisErrors.translate(failure);
		// the place is kept on the server until it counts as dead: the next look may find
		// it
		if (!translated.isRetryable() || !this.behindOthers) {
			leave();
			this.granted.completeExceptionally(translated);
		}
	}

	private void listen() {
		if (this.messages.get() == null) {
			ReleaseSignal.Subscription subscription = this.provider.listen(this.request.key(), this::onMessage);
			if (!this.messages.compareAndSet(null, subscription)) {
				subscription.close();
			}
			else if (this.left.get() || this.granted.isDone()) {
				stopListening();
			}
		}
	}

	private void stopListening() {
		ReleaseSignal.Subscription current = this.messages.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

	private enum Look {

		NONE, UNDER_WAY, WANTED_AGAIN

	}

}
