package io.distributedlock.engine;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;

/**
 * A backend that answers as a test says, and grants everything once its script is over.
 */
public final class ScriptedProvider implements LockProvider {

	public final Deque<CompletionStage<Lease>> attempts = new ConcurrentLinkedDeque<>();

	public final Deque<Supplier<CompletionStage<LeaseTerm>>> renewals = new ConcurrentLinkedDeque<>();

	final Deque<CompletionStage<Boolean>> releases = new ConcurrentLinkedDeque<>();

	final AtomicInteger attempted = new AtomicInteger();

	public final AtomicInteger renewed = new AtomicInteger();

	final AtomicInteger released = new AtomicInteger();

	volatile Lease.LossSignal lossSignal;

	private final LongSupplier nanoTime;

	public ScriptedProvider() {
		this(System::nanoTime);
	}

	/**
	 * Create a provider with the clock of its templates, which a test puts forward.
	 */
	public ScriptedProvider(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	public static <T> CompletionStage<T> never() {
		return new CompletableFuture<>();
	}

	public static <T> CompletionStage<T> unreachable() {
		return CompletableFuture.failedFuture(new BackendException("unreachable", true, null));
	}

	static <T> CompletionStage<T> refused() {
		return CompletableFuture.failedFuture(new BackendException("credentials refused", false, null));
	}

	public static CompletionStage<Lease> contended() {
		return CompletableFuture.completedFuture(null);
	}

	public Lease lease(Duration leaseTime) {
		return lease(new LeaseTerm(this.nanoTime.getAsLong(), leaseTime));
	}

	public Lease lease(LeaseTerm term) {
		return new ScriptedLease(term);
	}

	@Override
	public String name() {
		return "scripted";
	}

	@Override
	public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
		this.attempted.incrementAndGet();
		CompletionStage<Lease> scripted = this.attempts.poll();
		return (scripted != null) ? scripted : CompletableFuture.completedFuture(lease(request.leaseTime()));
	}

	private final class ScriptedLease implements Lease {

		private final LeaseTerm term;

		private ScriptedLease(LeaseTerm term) {
			this.term = term;
		}

		@Override
		public LeaseTerm term() {
			return this.term;
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			ScriptedProvider.this.renewed.incrementAndGet();
			Supplier<CompletionStage<LeaseTerm>> scripted = ScriptedProvider.this.renewals.poll();
			return (scripted != null) ? scripted.get() : CompletableFuture
				.completedFuture(new LeaseTerm(ScriptedProvider.this.nanoTime.getAsLong(), leaseTime));
		}

		@Override
		public CompletionStage<Boolean> release() {
			ScriptedProvider.this.released.incrementAndGet();
			CompletionStage<Boolean> scripted = ScriptedProvider.this.releases.poll();
			return (scripted != null) ? scripted : CompletableFuture.completedFuture(true);
		}

		@Override
		public void onLost(LossSignal signal) {
			ScriptedProvider.this.lossSignal = signal;
		}

	}

}
