package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.Inside;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * Watches over the promises while a run goes on. It knows both sides: what the server
 * does, and what callers are told. The numbers are those of the promises in
 * {@code docs/safety.md}.
 */
final class SimulationChecks {

	private static final int QUESTIONS_PER_CALL = 5;

	private final SimulatedWorld world;

	private final SimulatedFaults faults;

	private final List<SimulatedNode> nodes = new ArrayList<>();

	private final Map<Long, SimulatedCall> callsByLease = new HashMap<>();

	/**
	 * By the first token of each.
	 */
	private final NavigableMap<Long, SimulatedLease> leasesByToken = new TreeMap<>();

	private final Map<String, List<SimulatedHold.Part>> held = new LinkedHashMap<>();

	private final Map<String, Long> highestTokens = new HashMap<>();

	private final Map<String, Long> keptUntil = new HashMap<>();

	private @Nullable SimulatedBackend backend;

	private long lockDelayMillis;

	private int begun;

	private int contended;

	private int ended;

	SimulationChecks(SimulatedWorld world, SimulatedFaults faults) {
		this.world = world;
		this.faults = faults;
	}

	void watch(SimulatedBackend backend, List<SimulatedNode> nodes, long lockDelayMillis) {
		this.backend = backend;
		this.nodes.addAll(nodes);
		this.lockDelayMillis = lockDelayMillis;
	}

	int begun() {
		return this.begun;
	}

	// what callers do

	boolean isLeaseTaken(long millis) {
		return this.callsByLease.containsKey(millis);
	}

	/**
	 * Promise 8: watch that a call ends in time.
	 */
	void begin(SimulatedCall call) {
		this.begun++;
		if (backend().storms() && this.faults.isCalm() && this.nodes.stream().noneMatch(SimulatedNode::isDead)) {
			mustBeGranted(backendKeyOf(call.request));
		}
		this.world.note(() -> "begins " + call.text());
		if (call.leaseMillis() > 0) {
			this.callsByLease.put(call.leaseMillis(), call);
		}
		mustEndIn(call, call.node.clock().worldNanos(call.longestNanos) + this.faults.slack());
	}

	/**
	 * Promise 8: after the body its caller waits for the release only.
	 */
	void bodyEnds(SimulatedCall call) {
		SimulatedNode node = call.node;
		this.world.later(node.clock().worldNanos(node.commandTimeout()) + this.faults.slack(), node, Role.OUTSIDE,
				"bound after the body", () -> {
					if (!call.over && !node.wasPausedWithin(this.faults.slack() + node.commandTimeout())) {
						violation(8, "has not ended in time after its body: " + call.text());
					}
				});
	}

	private void mustEndIn(SimulatedCall call, long nanos) {
		this.world.later(nanos, call.node, Role.OUTSIDE, "bound", () -> {
			if (call.over || call.bodies > 0) {
				return;
			}
			// who comes to the front right after a pause may ask once
			long once = call.node.clock().worldNanos(call.node.commandTimeout()) + 2 * this.faults.slack();
			if (call.node.wasPausedWithin(once)) {
				mustEndIn(call, once);
			}
			else {
				violation(8, "has not ended in time: " + call.text());
			}
		});
	}

	/**
	 * Note how a call ended.
	 */
	void end(SimulatedCall call, @Nullable Throwable failure) {
		if (failure != null && failure.getCause() instanceof SimulatedThread.Killed killed) {
			// it could not wait
			throw killed;
		}
		if (!call.over) {
			this.ended++;
			call.endedAt = this.world.now();
		}
		call.over = true;
		this.world.note(() -> "ends " + call + ((failure != null) ? " with " + failure : ""));
		if (failure == null) {
			return;
		}
		if (failure instanceof LockNotAcquiredException refusal) {
			refused(call, refusal);
		}
		else if (failure instanceof LockUnavailableException) {
			if (this.faults.isCalm() && !call.node.isClosing()) {
				violation(8, call + " failed without a fault: " + SimulatedWorld.describe(failure));
			}
		}
		else if (!(failure instanceof LockLostException && call.bodies == 0
				&& (call.how.contains("xecute") || call.parts().size() > 1))) {
			// these do not start their work if a lock has ended before
			violation(8, "%s ended with %s".formatted(call, SimulatedWorld.describe(failure)));
		}
	}

	private void refused(SimulatedCall call, LockNotAcquiredException refusal) {
		switch (refusal.getReason()) {
			case CONTENDED -> contendedEnd(call);
			case CROWDED -> {
				if (call.request.maxWaiters() == Integer.MAX_VALUE) {
					violation(8, call + " is refused for a crowd that it does not mind");
				}
			}
			case INTERRUPTED -> {
				if (!call.disturbed) {
					violation(8, call + " is interrupted by nobody");
				}
			}
			case CLOSED -> {
				if (!call.node.isClosing()) {
					violation(8, call + " is told that the template is closed");
				}
			}
			default -> violation(8, call + " ended with " + refusal);
		}
	}

	/**
	 * Promise 7: a call that waits gets a key that becomes free, though all messages are
	 * lost.
	 */
	void contendedEnd(SimulatedCall call) {
		if (!this.faults.isCalm() || call.parts().size() > 1 || backend().queues(call.request.type())) {
			return;
		}
		long waited = this.world.now() - call.begunAt;
		long free = this.world.now() - backend().freeSince(backendKeyOf(call.request));
		long enough = call.node.pollNanos() * 2 + 6 * this.faults.longestTrip() + 2 * this.faults.slack();
		if (call.request.type() != LockType.SEMAPHORE && Math.min(waited, free) > enough) {
			violation(7, "%s did not get a key that was free for %,d us".formatted(call.text(), free / 1000));
		}
	}

	/**
	 * Promise 7: in a storm of calls a key does not stay free.
	 */
	private void mustBeGranted(String backendKey) {
		long free = this.world.now() - backend().freeSince(backendKey);
		if (free > SimulatedStorm.LONGEST_GAP * this.faults.roundTrip()) {
			violation(7, "%s is free for %,d us though calls keep coming".formatted(backendKey, free / 1000));
		}
	}

	static String backendKeyOf(LockRequest part) {
		return (part.type() == LockType.SEMAPHORE) ? part.key() + "~permits" : part.key();
	}

	/**
	 * Note that a caller has a lock.
	 */
	SimulatedHold opened(SimulatedCall call, LockHandle handle) {
		SimulatedHold hold = new SimulatedHold(call, handle);
		Set<String> asked = new TreeSet<>();
		call.parts().forEach((part) -> asked.add(backendKeyOf(part)));
		Set<String> had = new TreeSet<>();
		for (LockHandle part : handle.parts()) {
			SimulatedLease lease = leaseWith(part.fencingToken().orElse(-1));
			if (lease == null) {
				violation(9, call + " has a lock that nobody granted");
				continue;
			}
			SimulatedHold.Part own = new SimulatedHold.Part(hold, part, lease);
			hold.parts.add(own);
			had.add(lease.backendKey());
			lease.reached = true;
			if (own.token() > Math.max(lease.token(), lease.lastToken)) {
				// others who have it enter again
				lease.lastCall = call;
			}
			lease.lastToken = Math.max(lease.lastToken, own.token());
			if (own.isValid()) {
				exclude(own);
			}
			this.held.computeIfAbsent(lease.backendKey(), (backendKey) -> new ArrayList<>()).add(own);
		}
		if (!had.equals(asked)) {
			violation(9, "%s has %s and not %s".formatted(call, had, asked));
		}
		return hold;
	}

	private @Nullable SimulatedLease leaseWith(long token) {
		Map.Entry<Long, SimulatedLease> entry = this.leasesByToken.floorEntry(token);
		return (entry != null && token < entry.getKey() + entry.getValue().tokens) ? entry.getValue() : null;
	}

	/**
	 * Promises 1 and 2: nobody else is inside, and the token is the highest.
	 */
	private void exclude(SimulatedHold.Part own) {
		alone(own.lease(), own.token(), own.type());
		if (own.lease().type() != LockType.SEMAPHORE) {
			long highest = this.highestTokens.merge(own.lease().backendKey(), own.token(), Math::max);
			if (own.type() != LockType.READ && own.token() < highest) {
				violation(2, "%s has token %s after %s was seen".formatted(own.hold(), own.token(), highest));
			}
		}
	}

	private void alone(SimulatedLease lease, long token, LockType type) {
		int inside = 0;
		for (SimulatedHold.Part other : this.held.getOrDefault(lease.backendKey(), List.of())) {
			if (other.token() != token && other.isValid()) {
				inside++;
				boolean both = type == LockType.READ && other.type() == LockType.READ;
				if (!both && type != LockType.SEMAPHORE) {
					violation(1, "%s of %s is granted while %s is valid for %s us more".formatted(lease.backendKey(),
							lease.owner(), other.hold(), other.handle().remaining().toNanos() / 1000));
				}
			}
		}
		if (lease.type() == LockType.SEMAPHORE && inside >= lease.permits()) {
			violation(1,
					"%s have one of the %s permits of %s".formatted(inside + 1, lease.permits(), lease.backendKey()));
		}
	}

	/**
	 * Note that a holder begins to close.
	 */
	void closing(SimulatedHold hold) {
		if (hold.closing) {
			return;
		}
		hold.closing = true;
		this.world.note(() -> "closes " + hold);
		for (SimulatedHold.Part part : hold.parts) {
			keepsForMinimum(part);
			List<SimulatedHold.Part> all = this.held.getOrDefault(part.lease().backendKey(), new ArrayList<>());
			all.remove(part);
			List<SimulatedHold.Part> left = all.stream().filter((other) -> other.token() == part.token()).toList();
			part.lease().leftAt = this.world.now();
			if (left.isEmpty()) {
				mustBeReleased(part.lease(), hold.call, part.lease().releases + part.lease().renewals, part.token());
			}
		}
	}

	/**
	 * Note until when nobody else may have the key though its holder leaves.
	 */
	private void keepsForMinimum(SimulatedHold.Part part) {
		long atLeast = part.hold().call.request.holdAtLeast().toNanos();
		SimulatedLease lease = part.lease();
		if (atLeast > 0 && part.handle().isValid() && !lease.altered
				&& (lease.confirmed || lease.grantedNanos >= atLeast)
				&& part.hold().call.leaseMillis() == lease.request().leaseTime().toMillis() - this.lockDelayMillis) {
			// the clock of the node may run as fast as a clock may
			this.keptUntil.put(lease.backendKey(), lease.sentAt + atLeast - atLeast / 100);
		}
	}

	/**
	 * Promise 4: what a holder leaves is released within a command time-out, or passed
	 * on, or its lease has ended.
	 */
	private void mustBeReleased(SimulatedLease lease, SimulatedCall call, int before, long token) {
		SimulatedNode node = lease.node();
		this.world.later(node.clock().worldNanos(node.commandTimeout()) + this.faults.slack(), node, Role.OUTSIDE,
				"released", () -> {
					if (node.wasPausedWithin(this.faults.slack() + node.commandTimeout())
							|| (lease.tokens > 1 && isWanted(lease))) {
						mustBeReleased(lease, call, before, token);
					}
					// the next one has it
					else if (lease.lastToken <= token && lease.releases + lease.renewals == before && !lease.signalled
							&& !node.isClosing() && backend().holds(lease.backendKey(), lease.owner())) {
						violation(4, "what %s had was not released: %s of %s".formatted(call, lease.backendKey(),
								lease.owner()));
					}
				});
	}

	/**
	 * Promise 6: watch that a holder is told of a loss.
	 */
	void listens(SimulatedHold hold) {
		hold.listens = true;
		mustBeToldIn(hold, hold.handle.remaining().toNanos(), false);
	}

	private void mustBeToldIn(SimulatedHold hold, long nanos, boolean ended) {
		SimulatedNode node = hold.node();
		this.world.later(node.clock().worldNanos(nanos) + this.faults.slack(), node, Role.OUTSIDE, "told", () -> {
			if (hold.closing || hold.told > 0) {
				return;
			}
			long remaining = hold.handle.remaining().toNanos();
			if (remaining > 0) {
				mustBeToldIn(hold, remaining, false);
			}
			else if (!ended || node.wasPausedWithin(this.faults.slack())) {
				// it may have ended early, a moment ago
				mustBeToldIn(hold, 0, true);
			}
			else {
				violation(6, hold + " was not told that its lock is lost");
			}
		});
	}

	void told(SimulatedHold hold) {
		hold.told++;
		this.world.note(() -> "tells " + hold);
		if (this.world.role() != Role.CALLBACK) {
			violation(6, hold + " is told on a thread of the library");
		}
		if (hold.closing) {
			violation(6, hold + " is told though it was closed");
		}
		if (hold.told > 1) {
			violation(6, hold + " is told twice");
		}
		if (hold.handle.isValid()) {
			violation(6, hold + " is told and still valid");
		}
	}

	/**
	 * Promise 9: the body runs once, while its caller waits for it, and with the lock.
	 */
	void bodyStarts(SimulatedCall call, @Nullable LockHandle handle) {
		call.bodies++;
		if (call.bodies > 1) {
			violation(9, "the body of " + call + " runs again");
		}
		if (call.disturbed && call.over) {
			violation(9, "the body of " + call + " runs though its caller has given up");
		}
		if (handle == null || !handle.isValid()) {
			violation(9, "the body of " + call + " runs without the lock: " + handle);
		}
	}

	// what the engine asks of the provider

	void asked(SimulatedNode node, LeaseRequest request) {
		this.world.note(() -> "asks for " + request);
		SimulatedCall call = callOf(request);
		if (request.giveUpAtNanos() - node.clock().nanoTime() <= 0) {
			violation(8, "%s is asked for after its caller gave up".formatted(request.key()));
		}
		if (call != null) {
			call.asked++;
			if (call.over) {
				violation(8, "the backend is asked for " + call + ", which is over");
			}
		}
	}

	void contended(SimulatedNode node, LeaseRequest request) {
		this.contended++;
		SimulatedCall call = callOf(request);
		if (call != null) {
			call.contended++;
		}
	}

	/**
	 * Promise 4: a lease that comes is given to a caller or released.
	 */
	void delivered(SimulatedLease lease) {
		if (lease.delivered) {
			return;
		}
		lease.delivered = true;
		this.leasesByToken.put(lease.token(), lease);
		SimulatedNode node = lease.node();
		mustReachSomebody(lease, node.clock().worldNanos(2 * node.commandTimeout()) + this.faults.slack());
	}

	private void mustReachSomebody(SimulatedLease lease, long nanos) {
		SimulatedNode node = lease.node();
		this.world.later(nanos, node, Role.OUTSIDE, "reaches somebody", () -> {
			if (lease.reached || lease.releases > 0 || lease.signalled || lease.altered
					|| !backend().holds(lease.backendKey(), lease.owner())) {
				return;
			}
			if (node.wasPausedWithin(nanos) || isPartOfMore(lease) || (lease.tokens > 1 && isWanted(lease))) {
				mustReachSomebody(lease, nanos);
			}
			else if (!node.isClosing()) {
				violation(4, "a lease of %s for %s reached no caller and was not released".formatted(lease.backendKey(),
						lease.owner()));
			}
		});
	}

	/**
	 * Return whether its caller still waits for other locks.
	 */
	private boolean isPartOfMore(SimulatedLease lease) {
		SimulatedCall call = callOf(lease.request());
		return call != null && call.parts().size() > 1 && !call.over;
	}

	/**
	 * Promise 5: nothing is renewed after release, loss or close.
	 */
	void renews(SimulatedLease lease, Duration leaseTime) {
		this.world.note(() -> "renews %s of %s for %s".formatted(lease.backendKey(), lease.owner(), leaseTime));
		SimulatedCall call = (lease.lastCall != null) ? lease.lastCall : callOf(lease.request());
		lease.renewals++;
		if (lease.releases > 0) {
			violation(5, "%s of %s is renewed after its release".formatted(lease.backendKey(), lease.owner()));
		}
		if (call == null) {
			return;
		}
		List<SimulatedHold.Part> holders = holdersOf(lease);
		boolean keepsMinimum = !call.request.holdAtLeast().isZero()
				&& leaseTime.compareTo(call.request.holdAtLeast()) <= 0;
		// what never reached its caller is released on another thread
		boolean left = call.over && (lease.reached || call.endedAt + this.faults.slack() < this.world.now());
		// the next one may have it, and not have heard of it
		left &= lease.tokens == 1 || (lease.leftAt + this.faults.slack() < this.world.now() && !isWanted(lease));
		if (left && holders.isEmpty() && !keepsMinimum) {
			violation(5, "%s of %s is renewed though %s has left".formatted(lease.backendKey(), lease.owner(), call));
		}
		boolean again = lease.keepsMinimum;
		lease.keepsMinimum = keepsMinimum && holders.isEmpty();
		// one that is asked for again is followed by a release
		if (left && holders.isEmpty() && !again && lease.renewal != null && !lease.renewal.isDone()
				&& this.world.now() - lease.renewalAskedAt < lease.node().commandTimeout() / 2) {
			violation(5, "the minimum hold of %s is asked for while a renewal is under way that may come after it"
				.formatted(lease.owner()));
		}
		if (!holders.isEmpty() && holders.stream().noneMatch(SimulatedHold.Part::isValid) && !keepsMinimum) {
			violation(5, "%s of %s is renewed after its loss".formatted(lease.backendKey(), lease.owner()));
		}
		if (lease.node().isClosed() && !keepsMinimum) {
			violation(5, "%s of %s is renewed after close".formatted(lease.backendKey(), lease.owner()));
		}
	}

	/**
	 * Return whether a call of the node that wants the key is under way: it may have the
	 * lock, and wait for others.
	 */
	private boolean isWanted(SimulatedLease lease) {
		return this.callsByLease.values()
			.stream()
			.anyMatch((call) -> call.node == lease.node() && !call.over
					&& call.parts().stream().anyMatch((part) -> backendKeyOf(part).equals(lease.backendKey())));
	}

	void renewed(SimulatedLease lease, boolean had) {
		lease.altered |= !had;
		lease.confirmed |= had;
		if (!had) {
			this.keptUntil.remove(lease.backendKey());
		}
		this.world.note(() -> "renewed %s of %s".formatted(lease.backendKey(), lease.owner()));
	}

	/**
	 * Promise 3: nobody releases what another still has.
	 */
	void releases(SimulatedLease lease) {
		this.world.note(() -> "releases %s of %s".formatted(lease.backendKey(), lease.owner()));
		lease.releases++;
		if (!lease.node().isClosing() && holdersOf(lease).stream().anyMatch(SimulatedHold.Part::isValid)) {
			violation(3, "%s of %s is released under its holder".formatted(lease.backendKey(), lease.owner()));
		}
	}

	private List<SimulatedHold.Part> holdersOf(SimulatedLease lease) {
		return this.held.getOrDefault(lease.backendKey(), List.of())
			.stream()
			.filter((part) -> part.token() >= lease.token() && part.token() < lease.token() + lease.tokens)
			.toList();
	}

	// what the server does

	void granted(SimulatedLease lease, long token) {
		this.leasesByToken.put(token, lease);
		alone(lease, token, lease.type());
		if (lease.type() != LockType.SEMAPHORE && lease.type() != LockType.READ
				&& this.keptUntil.getOrDefault(lease.backendKey(), 0L) > this.world.now()) {
			violation(4, "%s is granted to %s though it is to be kept for its minimum".formatted(lease.backendKey(),
					lease.owner()));
		}
	}

	void publish(String backendKey) {
		for (SimulatedNode node : this.nodes) {
			if (!node.isDead()) {
				node.provider().published(backendKey);
			}
		}
	}

	// the end

	int unfinished() {
		return this.begun - this.ended;
	}

	void nothingIsLeft(SimulatedNode node) {
		Inside inside = Inside.of(node.template());
		String left = "keys %s, keeper %s, waiting %s, pending %s, timers %s".formatted(inside.keys().size(),
				inside.keeper().size(), inside.keys().waiting() + inside.calls().underWay(),
				inside.releaser().isIdle() ? 0 : "some", inside.timers().size());
		if (!left.equals("keys 0, keeper 0, waiting 0, pending 0, timers 0")) {
			violation(4, "%s leaves %s".formatted(node, left));
		}
		String leftAtProvider = node.provider().leftovers();
		if (leftAtProvider != null) {
			violation(4, "%s leaves %s".formatted(node, leftAtProvider));
		}
	}

	void serverIsEmpty() {
		String left = backend().leftovers();
		if (left != null) {
			violation(4, "the server still has " + left);
		}
		for (SimulatedCall call : this.callsByLease.values()) {
			if (!call.over && !call.node.isDead()) {
				violation(8, "never ended: " + call.text());
			}
		}
	}

	/**
	 * A crowd of waiting calls is let in one after the other, and does not ask again and
	 * again.
	 */
	void asksLittle() {
		if (this.contended > QUESTIONS_PER_CALL * this.begun) {
			violation(7, "%,d calls asked %,d times in vain".formatted(this.begun, this.contended));
		}
	}

	void violation(int promise, String what) {
		this.world.violation("promise %s: %s".formatted(promise, what));
	}

	static boolean isExpected(Throwable failure) {
		return failure instanceof LockException;
	}

	private @Nullable SimulatedCall callOf(LeaseRequest request) {
		return this.callsByLease.get(request.leaseTime().toMillis() - this.lockDelayMillis);
	}

	private SimulatedBackend backend() {
		SimulatedBackend known = this.backend;
		if (known == null) {
			throw new IllegalStateException("nothing to watch yet");
		}
		return known;
	}

}
