package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.AskingPlace;
import io.distributedlock.spi.support.UnknownOwners;
import io.distributedlock.spi.support.VirtualTime;
import org.jspecify.annotations.Nullable;

/**
 * The client of one node. It keeps the contract of a provider where a run has no faults;
 * where it has, it misbehaves in every way that a client library may.
 */
class SimulatedProvider implements LockProvider, LockQueue {

	private final SimulatedNode node;

	private final SimulatedBackend backend;

	private final SimulationChecks checks;

	private final SimulatedFaults faults;

	private final SimulatedLink link;

	private final Set<LockCapability> capabilities;

	private final Set<SimulatedPlace> places = new LinkedHashSet<>();

	private final Set<SimulatedSubscription> subscriptions = new LinkedHashSet<>();

	private final UnknownOwners unknownOwners;

	private int owners;

	SimulatedProvider(SimulatedNode node, SimulatedBackend backend, SimulationChecks checks, SimulatedFaults faults,
			boolean exactExpiry) {
		this.node = node;
		this.backend = backend;
		this.checks = checks;
		this.faults = faults;
		this.link = new SimulatedLink(node, faults);
		this.unknownOwners = VirtualTime.unknownOwners(() -> node.clock().nanoTime(), (task, millis) -> node.world()
			.later(SimulatedFaults.millis(millis), node, Role.CLIENT, "unknown owner again", task));
		this.capabilities = EnumSet.allOf(LockCapability.class);
		if (!exactExpiry) {
			this.capabilities.remove(LockCapability.EXACT_EXPIRY);
		}
	}

	SimulatedNode node() {
		return this.node;
	}

	@Override
	public String name() {
		return "simulated";
	}

	@Override
	public Set<LockCapability> capabilities() {
		return this.capabilities;
	}

	@Override
	public boolean queues(LockType type) {
		return this.backend.queues(type);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		alive();
		this.checks.asked(this.node, request);
		enter("tryAcquire");
		SimulatedLease lease = new SimulatedLease(this, newOwner(), request);
		if (this.backend.storms()) {
			return attemptWithPlace(lease);
		}
		return ask("acquire", lease, this.node.clock().nanoTime(), () -> this.backend.acquire(lease),
				() -> removeUnknown(lease), () -> {
				});
	}

	/**
	 * Take a place for an attempt, if nobody is in front. If the attempt is refused, its
	 * caller hears of it before the place is removed.
	 */
	private @Nullable CompletionStage<@Nullable Lease> attemptWithPlace(SimulatedLease lease) {
		CompletionStage<Boolean> look = this.link.send("look", () -> this.backend.isFree(lease), null, (free) -> {
		});
		return (look != null) ? look.thenCompose((free) -> {
			if (!Boolean.TRUE.equals(free)) {
				this.checks.contended(this.node, lease.request());
				return CompletableFuture.completedFuture(null);
			}
			return ask("place", lease, this.node.clock().nanoTime(), () -> this.backend.enqueue(lease, true),
					() -> removeUnknown(lease), () -> removeUnknown(lease));
		}) : null;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		alive();
		this.checks.asked(this.node, request);
		enter("enqueue");
		if (this.faults.isHostile()) {
			if (this.faults.oneOf(0, 1) == 0) {
				return null;
			}
			enterObject("enqueue");
		}
		String owner = newOwner();
		SimulatedLease first = new SimulatedLease(this, owner, request);
		SimulatedPlace place = new SimulatedPlace(this::enterObject);
		long[] askedAt = { this.node.clock().nanoTime() };
		place.start(() -> AskingPlace.take(() -> {
			// each question is a new term; what the server grants by itself may be as old
			// as the question before
			SimulatedLease lease = new SimulatedLease(this, owner, request);
			long start = this.node.clock().nanoTime();
			// a grant of which less than half may be left is renewed first
			boolean old = this.backend.grants() && 2
					* (start - askedAt[0]) <= SimulatedBackend.grantTime(request).minus(request.lockDelay()).toNanos();
			long termStart = old ? askedAt[0] : start;
			// the place removes its owner when it is left, and not before
			Supplier<Long> enqueued = () -> {
				long token = this.backend.enqueue(lease, !old);
				if (token == 0 && start - askedAt[0] > 0) {
					// a grant is later than this question
					askedAt[0] = start;
				}
				return token;
			};
			return ask("enqueue", lease, termStart, enqueued, () -> {
			}, () -> {
				// the server may have removed the place before it got the question
				if (this.backend.storms() && place.isLeft()) {
					removeUnknown(first);
				}
			});
		}, () -> removeUnknown(first), (this.link.hasMessages() || this.backend.storms())
				? (onRelease) -> subscribe(first.key(), onRelease) : null));
		this.places.removeIf(SimulatedPlace::isOver);
		this.places.add(place);
		return place;
	}

	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		alive();
		renewals.forEach((each) -> this.checks.renews((SimulatedLease) each.lease(), each.leaseTime()));
		long askedAt = this.node.world().now();
		enter("renewAll");
		if (this.faults.isHostile()) {
			return hostileRenewals(renewals);
		}
		return renewals.stream().map((each) -> sendRenewal(each.lease(), each.leaseTime(), askedAt)).toList();
	}

	private List<? extends CompletionStage<@Nullable LeaseTerm>> hostileRenewals(List<LeaseRenewal> renewals) {
		switch (this.faults.oneOf(0, 1, 2, 3)) {
			case 0 -> throw new SimulatedFaults.SimulatedException("renewAll");
			case 1 -> SimulatedFaults.throwError("renewAll");
			case 2 -> {
				return List.of();
			}
			default -> {
				// what a list of answers without answers looks like
			}
		}
		List<CompletionStage<@Nullable LeaseTerm>> answers = new ArrayList<>();
		renewals.forEach((each) -> answers.add(null));
		return answers;
	}

	CompletionStage<@Nullable LeaseTerm> renew(Lease lease, Duration leaseTime) {
		alive();
		this.checks.renews((SimulatedLease) lease, leaseTime);
		long askedAt = this.node.world().now();
		enter("renew");
		return sendRenewal(lease, leaseTime, askedAt);
	}

	private CompletionStage<@Nullable LeaseTerm> sendRenewal(Lease renewed, Duration leaseTime, long askedAt) {
		SimulatedLease lease = (SimulatedLease) renewed;
		long start = this.node.clock().nanoTime();
		lease.renewal = null;
		CompletionStage<@Nullable LeaseTerm> answer = this.link.send("renew",
				() -> this.backend.renew(lease, leaseTime.toNanos()) ? new LeaseTerm(start, leaseTime) : null, null,
				(term) -> this.checks.renewed(lease, term != null));
		lease.renewal = (answer != null) ? answer.toCompletableFuture() : null;
		// a call that blocks may send it long after it was asked for
		lease.renewalAskedAt = askedAt;
		return answer;
	}

	CompletionStage<Boolean> release(SimulatedLease lease) {
		alive();
		this.checks.releases(lease);
		enter("release");
		return this.link.send("release", () -> this.backend.release(lease.backendKey(), lease.owner()), null,
				(released) -> {
				});
	}

	void signalLossSometimes(SimulatedLease lease) {
		enterObject("onLost");
		if (this.faults.signalsLoss()) {
			if (this.faults.oneOf(0, 1, 2) == 0) {
				lease.signalLoss();
			}
			else {
				this.node.world()
					.later(this.node.world().random(lease.lengthNanos()), this.node, Role.CLIENT, "session ends",
							lease::signalLoss);
			}
		}
	}

	SimulatedSubscription subscribe(String key, Runnable onRelease) {
		SimulatedSubscription subscription = new SimulatedSubscription(key, onRelease);
		this.subscriptions.add(subscription);
		deliver(subscription);
		return subscription;
	}

	/**
	 * Bring a message of a release to those who listen, or lose it.
	 */
	void published(String backendKey) {
		if (this.link.isCutOff()) {
			return;
		}
		for (SimulatedSubscription subscription : this.subscriptions) {
			if (backendKey.startsWith(subscription.key) && (this.backend.storms() || !this.faults.dropsMessage())) {
				deliver(subscription);
				if (this.faults.doublesMessage()) {
					deliver(subscription);
				}
			}
		}
	}

	boolean saysThatNobodyWaits() {
		enterObject("isAwaited");
		return this.backend.saysThatNobodyWaits();
	}

	SimulatedLink link() {
		return this.link;
	}

	/**
	 * Return what the engine has left behind, {@code null} if nothing.
	 */
	@Nullable String leftovers() {
		this.places.removeIf(SimulatedPlace::isOver);
		return (this.places.isEmpty() && this.subscriptions.isEmpty()) ? null
				: "%s places, %s subscriptions".formatted(this.places.size(), this.subscriptions.size());
	}

	private void deliver(SimulatedSubscription subscription) {
		this.node.world().later(this.faults.trip(), this.node, Role.CLIENT, "message", () -> {
			if (this.subscriptions.contains(subscription)) {
				subscription.onRelease.run();
			}
		});
	}

	/**
	 * Ask for a lock, and see to it that an owner of whom the engine does not hear has
	 * nothing for long.
	 */
	private CompletionStage<@Nullable Lease> ask(String what, SimulatedLease lease, long termStart,
			Supplier<Long> question, Runnable ifUnknown, Runnable ifRefused) {
		lease.sentAt = this.node.world().now();
		long start = this.node.clock().nanoTime();
		if (lease.request().giveUpAtNanos() - start <= 0) {
			return CompletableFuture.failedFuture(new BackendException("nobody waits for it any more", true, null));
		}
		return this.link.send(what, () -> {
			long token = question.get();
			return (token > 0) ? lease.granted(token, termStart) : null;
		}, ifUnknown, (granted) -> {
			if (granted != null) {
				this.checks.delivered(lease);
			}
			else {
				this.checks.contended(this.node, lease.request());
				ifRefused.run();
			}
		});
	}

	/**
	 * Remove an owner as soon as the server can be reached.
	 */
	private void removeUnknown(SimulatedLease lease) {
		this.node.world()
			.later(this.faults.trip(), this.node, Role.CLIENT, "unknown owner",
					() -> this.unknownOwners.remove(lease.key(), lease.request().leaseTime(),
							() -> sendRemoval(lease.backendKey(), lease.owner())));
	}

	private CompletionStage<Boolean> sendRemoval(String backendKey, String owner) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		if (this.link.isCutOff()) {
			answer.completeExceptionally(new BackendException("connection broken", true, null));
			return answer;
		}
		this.node.world().later(this.faults.trip(), null, Role.OUTSIDE, "removal", () -> {
			boolean removed = this.backend.release(backendKey, owner);
			this.node.world().later(this.faults.longestTrip(), this.node, Role.CLIENT, "removed", () -> {
				if (this.link.isCutOff()) {
					answer.completeExceptionally(new BackendException("connection broken", true, null));
				}
				answer.complete(removed);
			});
		});
		return answer;
	}

	private String newOwner() {
		this.owners++;
		return this.node + "-" + this.owners;
	}

	/**
	 * Where a JVM was killed its threads are still unwound.
	 */
	private void alive() {
		if (this.node.isDead()) {
			throw new SimulatedThread.Killed();
		}
	}

	/**
	 * Check which thread calls, and keep it for a while if the run has that.
	 */
	private void enter(String what) {
		Role role = this.node.world().role();
		if (role == Role.TIMER) {
			this.node.world().violation("the timer calls the provider: " + what);
		}
		if (role == Role.ENGINE && SimulatedThread.current() != null) {
			this.node.clock().sleep(this.node.world().random(2 * this.node.commandTimeout()));
		}
	}

	private void enterObject(String what) {
		if (this.faults.isHostile()) {
			if (this.faults.oneOf(0, 1) == 0) {
				throw new SimulatedFaults.SimulatedException(what);
			}
			SimulatedFaults.throwError(what);
		}
	}

	@Override
	public String toString() {
		return "SimulatedProvider" + Arrays.asList(this.capabilities);
	}

	/**
	 * One who listens for releases.
	 */
	final class SimulatedSubscription implements ReleaseSignal.Subscription {

		private final String key;

		private final Runnable onRelease;

		private SimulatedSubscription(String key, Runnable onRelease) {
			this.key = key;
			this.onRelease = onRelease;
		}

		@Override
		public void close() {
			SimulatedProvider.this.subscriptions.remove(this);
			enterObject("close of a subscription");
		}

	}

	/**
	 * The same with messages of releases.
	 */
	static final class Signalling extends SimulatedProvider implements ReleaseSignal {

		private final SimulatedFaults faults;

		Signalling(SimulatedNode node, SimulatedBackend backend, SimulationChecks checks, SimulatedFaults faults,
				boolean exactExpiry) {
			super(node, backend, checks, faults, exactExpiry);
			this.faults = faults;
		}

		@Override
		public Subscription listen(String key, Runnable onRelease) {
			if (this.faults.isHostile()) {
				if (this.faults.oneOf(0, 1) == 0) {
					throw new SimulatedFaults.SimulatedException("listen");
				}
				return null;
			}
			return subscribe(key, onRelease);
		}

	}

}
