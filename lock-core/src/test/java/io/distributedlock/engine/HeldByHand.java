package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockLostException;
import io.distributedlock.LockType;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.handle.HandleReleases;
import io.distributedlock.engine.internal.handle.SingleHandle;
import io.distributedlock.engine.internal.lease.Extension;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Passage;
import io.distributedlock.engine.internal.lease.Successor;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;

/**
 * A lock that the engine holds, on a backend that answers at once, in time that a test
 * moves on.
 */
public final class HeldByHand implements LockProvider, Lease, Passage {

	static final Duration LEASE = Duration.ofSeconds(30);

	final ScheduledByHand runtime = new ScheduledByHand();

	final AtomicInteger releases = new AtomicInteger();

	final AtomicInteger turnsGivenUp = new AtomicInteger();

	final AtomicInteger losses = new AtomicInteger();

	final DefaultLockTemplate template;

	public final HeldLock lock;

	final SingleHandle handle;

	public HeldByHand() {
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(this)
			.commandTimeout(Duration.ofHours(2))
			.listener(LockListener.of(LockEvent.Lost.class, (event) -> this.losses.incrementAndGet()));
		builder.runtime((executor) -> this.runtime);
		this.template = builder.build();
		LockAttempt attempt = new LockAttempt("", new KeyId("p", 0, "k"), this, LockType.EXCLUSIVE, 1, Duration.ZERO,
				false, LEASE, true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO, true);
		this.lock = new HeldLock(attempt, this, this, this.template.keeper);
		this.handle = newHandle();
		this.template.keeper.track(this.lock);
		this.lock.begin();
	}

	SingleHandle newHandle() {
		ProviderCalls providerCalls = this.template.providerCalls;
		return new SingleHandle(this.lock.attempt(), this.lock,
				new HandleReleases(this.runtime, providerCalls, new Callbacks(this.runtime, null),
						new Listeners(this.runtime, List.of()), this.template.releaser,
						new Extension(this.runtime, providerCalls, this.template.keeper), false));
	}

	SingleHandle reenter() {
		require(this.lock.enter(), "no re-entry");
		return newHandle();
	}

	/**
	 * Let time pass and the timer thread run.
	 */
	public void runUntil(long nanos) {
		this.runtime.moveTo(nanos);
		this.runtime.runTimers();
	}

	/**
	 * Return whether the lock ended by a loss, which the holder is told.
	 */
	boolean isLost() {
		try {
			this.lock.ensureHeld();
			return false;
		}
		catch (LockLostException ex) {
			return ex.getCause() != null;
		}
	}

	/**
	 * Check that it ended in one way, once, and that nothing is left of it.
	 */
	void requireEnded(boolean closed) {
		require(!this.lock.isHeld(), "still held");
		require(this.losses.get() == (isLost() ? 1 : 0), "not told of a loss once");
		require(this.releases.get() == (closed ? 1 : 0), "not released once");
		require(this.turnsGivenUp.get() > 0, "the next caller waits for ever");
		require(this.template.keeper.size() == 0, "the keeper still has it");
		require(this.template.releaser.isIdle(), "a release is left");
	}

	public static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalStateException(otherwise);
		}
	}

	@Override
	public String name() {
		return "by hand";
	}

	@Override
	public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
		throw new IllegalStateException("it is held");
	}

	@Override
	public LeaseTerm term() {
		return new LeaseTerm(0, LEASE);
	}

	@Override
	public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
		return CompletableFuture.completedFuture(new LeaseTerm(this.runtime.nanoTime(), leaseTime));
	}

	@Override
	public CompletionStage<Boolean> release() {
		this.releases.incrementAndGet();
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public void leave(HeldLock held) {
		this.turnsGivenUp.incrementAndGet();
	}

	@Override
	public boolean isAwaited() {
		return false;
	}

	@Override
	public Successor passOn(HeldLock held) {
		throw new IllegalStateException("nobody waits");
	}

}
