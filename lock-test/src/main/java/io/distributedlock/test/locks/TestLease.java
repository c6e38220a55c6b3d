package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease that a test can end, and that cannot be renewed or released while its provider
 * is down.
 */
final class TestLease implements Lease {

	private final TestLockProvider provider;

	private final String key;

	private final Lease local;

	private final List<LossSignal> signals = new CopyOnWriteArrayList<>();

	private volatile LeaseTerm term;

	private volatile boolean released;

	private volatile @Nullable String loss;

	TestLease(TestLockProvider provider, String key, Lease local) {
		this.provider = provider;
		this.key = key;
		this.local = local;
		this.term = local.term();
	}

	String key() {
		return this.key;
	}

	boolean isHeld() {
		LeaseTerm current = this.term;
		return !this.released
				&& current.startNanos() + current.granted().toNanos() - this.provider.clock().nanoTime() > 0;
	}

	/**
	 * End this lease, and report its loss.
	 */
	void end(String reason) {
		this.loss = reason;
		leave();
		this.signals.forEach((signal) -> signal.lost(reason));
	}

	/**
	 * Take note that the backend has ended this lease, of which the holder is not told.
	 */
	void revoked() {
		this.released = true;
		this.provider.remove(this);
	}

	@Override
	public Optional<String> ownerId() {
		return this.local.ownerId();
	}

	@Override
	public OptionalLong fencingToken() {
		return this.provider.capabilities().contains(LockCapability.FENCING) ? this.local.fencingToken()
				: OptionalLong.empty();
	}

	@Override
	public LeaseTerm term() {
		return this.local.term();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.isDown() ? CompletableFuture.failedFuture(this.provider.outage())
				: this.local.renew(leaseTime).thenApply(this::renewed);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.isDown() ? CompletableFuture.failedFuture(this.provider.outage()) : leave();
	}

	@Override
	public void onLost(LossSignal signal) {
		this.signals.add(signal);
		String reason = this.loss;
		if (reason != null) {
			signal.lost(reason);
		}
	}

	private CompletionStage<Boolean> leave() {
		this.released = true;
		this.provider.remove(this);
		return this.local.release();
	}

	private @Nullable LeaseTerm renewed(@Nullable LeaseTerm renewed) {
		if (renewed != null) {
			this.term = renewed;
		}
		return renewed;
	}

}
