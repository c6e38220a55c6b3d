package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;

/**
 * A provider that misbehaves on command, over a backend that keeps all promises. What a
 * test does not script is done properly.
 */
public final class TrickyProvider implements LockProvider, LockQueue, ReleaseSignal {

	public final Trick.Script<CompletionStage<Lease>> acquire = new Trick.Script<>();

	public final Trick.Script<CompletionStage<LeaseTerm>> renew = new Trick.Script<>();

	final Trick.Script<List<? extends CompletionStage<LeaseTerm>>> renewAll = new Trick.Script<>();

	final Trick.Script<CompletionStage<Boolean>> release = new Trick.Script<>();

	final Trick.Script<Boolean> queues = new Trick.Script<>();

	final Trick.Script<Duration> handOverTime = new Trick.Script<>();

	/**
	 * The first name is asked for when a template is built.
	 */
	final Trick.Script<String> naming = new Trick.Script<>();

	public final Trick.Script<Place> enqueue = new Trick.Script<>();

	final Trick.Script<Subscription> listen = new Trick.Script<>();

	final Trick.Script<Boolean> stopListening = new Trick.Script<>();

	final Trick.Script<LeaseTerm> term = new Trick.Script<>();

	final Trick.Script<OptionalLong> token = new Trick.Script<>();

	final Trick.Script<Boolean> onLost = new Trick.Script<>();

	final Trick.Script<Optional<String>> ownerId = new Trick.Script<>();

	/**
	 * By default this provider cannot be asked.
	 */
	public final Trick.Script<CompletionStage<Object>> ping = new Trick.Script<>();

	/**
	 * All leases that were granted, in their order.
	 */
	final List<TrickyLease> leases = new CopyOnWriteArrayList<>();

	/**
	 * How much of each term is over when it is granted, from zero to one: a long lease is
	 * then renewed at once and each second, and ends soon if it is not renewed.
	 */
	public volatile double over;

	/**
	 * Whether exclusive locks have a queue.
	 */
	volatile boolean queuesExclusive;

	private final LocalLockProvider backend;

	private final String name;

	public TrickyProvider() {
		this("tricky");
	}

	public TrickyProvider(String name) {
		this(name, new LocalLockProvider());
	}

	public TrickyProvider(String name, LocalLockProvider backend) {
		this.name = name;
		this.backend = backend;
	}

	/**
	 * Return whether nobody has a key on the backend, for any lock type.
	 */
	public boolean isFree(String key) {
		LeaseRequest request = new LeaseRequest(key, Duration.ofSeconds(1), LockType.EXCLUSIVE);
		Lease lease = this.backend.tryAcquire(request).toCompletableFuture().join();
		if (lease != null) {
			lease.release();
		}
		return lease != null;
	}

	TrickyLease lastLease() {
		return this.leases.get(this.leases.size() - 1);
	}

	@Override
	public String name() {
		return this.naming.play(() -> this.name);
	}

	@Override
	public Duration handOverTime() {
		return this.handOverTime.play(LockProvider.super::handOverTime);
	}

	@Override
	public Set<LockCapability> capabilities() {
		return this.backend.capabilities();
	}

	@Override
	public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
		return this.acquire.play(() -> this.backend.tryAcquire(request).thenApply(this::tricky));
	}

	@Override
	public List<? extends CompletionStage<LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return this.renewAll.play(() -> LockProvider.super.renewAll(renewals));
	}

	@Override
	public CompletionStage<?> ping() {
		return this.ping.play(() -> LockProvider.super.ping().thenApply((answer) -> answer));
	}

	@Override
	public boolean queues(LockType type) {
		return this.queues
			.play(() -> this.backend.queues(type) || (this.queuesExclusive && type == LockType.EXCLUSIVE));
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return this.enqueue.play(() -> {
			Place place = this.backend.enqueue(request);
			return new ScriptedPlace(place.granted().thenApply(this::tricky), place::lookAgain, place::isBehindOthers,
					place::leave);
		});
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.listen.play(() -> {
			Subscription subscription = this.backend.listen(key, onRelease);
			return () -> this.stopListening.play(() -> {
				subscription.close();
				return true;
			});
		});
	}

	private Lease tricky(Lease lease) {
		if (lease == null) {
			return null;
		}
		TrickyLease tricky = new TrickyLease(lease);
		this.leases.add(tricky);
		return tricky;
	}

	/**
	 * A lease that is as good as its provider.
	 */
	final class TrickyLease implements Lease {

		private final Lease lease;

		private final AtomicReference<LossSignal> signal;

		private final double over = TrickyProvider.this.over;

		/**
		 * What this lease does when it is to be renewed.
		 */
		final AtomicReference<Trick<CompletionStage<LeaseTerm>>> renewal = new AtomicReference<>(Supplier::get);

		private TrickyLease(Lease lease) {
			this(lease, new AtomicReference<>());
		}

		private TrickyLease(Lease lease, AtomicReference<LossSignal> signal) {
			this.lease = lease;
			this.signal = signal;
		}

		/**
		 * Say, as a backend does, that the lease is gone.
		 */
		void lose() {
			this.lease.release();
			this.signal.get().lost("the session ended");
		}

		@Override
		public OptionalLong fencingToken() {
			return TrickyProvider.this.token.play(this.lease::fencingToken);
		}

		@Override
		public Optional<String> ownerId() {
			return TrickyProvider.this.ownerId.play(this.lease::ownerId);
		}

		@Override
		public LeaseTerm term() {
			return TrickyProvider.this.term.play(() -> partlyOver(this.lease.term()));
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			Trick<CompletionStage<LeaseTerm>> own = this.renewal.get();
			return TrickyProvider.this.renew
				.play(() -> Trick.asked(own, () -> this.lease.renew(leaseTime).thenApply(this::partlyOver)));
		}

		private LeaseTerm partlyOver(LeaseTerm granted) {
			if (granted == null || this.over == 0) {
				return granted;
			}
			long passed = (long) (granted.granted().toNanos() * this.over);
			return new LeaseTerm(granted.startNanos() - passed, granted.granted());
		}

		@Override
		public CompletionStage<Boolean> release() {
			return TrickyProvider.this.release.play(this.lease::release);
		}

		@Override
		public void onLost(LossSignal signal) {
			TrickyProvider.this.onLost.play(() -> {
				this.signal.set(signal);
				return true;
			});
		}

	}

}
