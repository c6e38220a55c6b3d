package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of the simulated provider, and what the checks note about it.
 */
final class SimulatedLease implements Lease {

	private final SimulatedProvider provider;

	private final String owner;

	private final LeaseRequest request;

	private @Nullable LeaseTerm term;

	private long token;

	/**
	 * How many tokens it has.
	 */
	int tokens = 1;

	/**
	 * For how long the server has granted it.
	 */
	long grantedNanos;

	/**
	 * Whether a renewal has made it as long as it was asked for.
	 */
	boolean confirmed;

	/**
	 * The token of the one who got it last.
	 */
	long lastToken;

	/**
	 * The call that got it last.
	 */
	@Nullable SimulatedCall lastCall;

	/**
	 * When somebody who had it closed.
	 */
	long leftAt;

	private @Nullable LossSignal signal;

	/**
	 * Whether the engine has got it.
	 */
	boolean delivered;

	/**
	 * Whether a caller has got it from the engine.
	 */
	boolean reached;

	/**
	 * The time of the world before it was asked for.
	 */
	long sentAt;

	/**
	 * Whether its holder changed its length, or the provider said that it was gone.
	 */
	boolean altered;

	int releases;

	int renewals;

	/**
	 * The answer to the renewal that was sent last.
	 */
	@Nullable CompletableFuture<?> renewal;

	/**
	 * Whether the last renewal was for the rest of the minimum.
	 */
	boolean keepsMinimum;

	long renewalAskedAt;

	/**
	 * Whether the provider told that it is lost.
	 */
	boolean signalled;

	SimulatedLease(SimulatedProvider provider, String owner, LeaseRequest request) {
		this.provider = provider;
		this.owner = owner;
		this.request = request;
	}

	String owner() {
		return this.owner;
	}

	String key() {
		return this.request.key();
	}

	LeaseRequest request() {
		return this.request;
	}

	/**
	 * Return what stands for the key on the server, where permits of a semaphore have
	 * nothing to do with a lock of the same key.
	 */
	String backendKey() {
		return (type() == LockType.SEMAPHORE) ? key() + "~permits" : key();
	}

	LockType type() {
		return this.request.type();
	}

	int permits() {
		return this.request.permits();
	}

	long lengthNanos() {
		return this.request.leaseTime().toNanos();
	}

	long token() {
		return this.token;
	}

	SimulatedNode node() {
		return this.provider.node();
	}

	/**
	 * Note that the server has granted it.
	 */
	SimulatedLease granted(long token, long startNanos) {
		this.token = token;
		this.term = new LeaseTerm(startNanos, Duration.ofNanos(this.grantedNanos));
		return this;
	}

	void signalLoss() {
		this.signalled = true;
		if (this.signal != null) {
			this.signal.lost("the session ended");
		}
	}

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.token);
	}

	@Override
	public int fencingTokens() {
		return this.tokens;
	}

	@Override
	public boolean isAwaited() {
		return !this.provider.saysThatNobodyWaits();
	}

	@Override
	public LeaseTerm term() {
		LeaseTerm granted = this.term;
		if (granted == null) {
			throw new IllegalStateException("never granted");
		}
		return granted;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this);
	}

	@Override
	public void onLost(LossSignal signal) {
		this.signal = signal;
		this.provider.signalLossSometimes(this);
	}

}
