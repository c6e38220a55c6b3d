package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The server that all nodes share, and so the truth: who has a key, until when by the
 * server's clock, and who queues for it.
 */
final class SimulatedBackend {

	/**
	 * For how many questions about a place a grant lives that nobody takes up.
	 */
	private static final int LOOKS_PER_GRANT = 3;

	private final SimulatedWorld world;

	private final SimulationChecks checks;

	/**
	 * Whether all lock types have a queue, and not only fair ones.
	 */
	private final boolean queuesAll;

	private final SimulatedHandOver handOver;

	private final boolean storms;

	private final Map<String, Key> keys = new LinkedHashMap<>();

	private long tokens;

	SimulatedBackend(SimulatedWorld world, SimulationChecks checks, SimulationSetting setting) {
		this.world = world;
		this.checks = checks;
		this.queuesAll = setting.queuesAll();
		this.handOver = setting.handOver();
		this.storms = setting.storm() != null;
	}

	boolean queues(LockType type) {
		return this.queuesAll || type == LockType.FAIR;
	}

	/**
	 * Return whether many calls that end soon ask: each attempt has a place in the queue,
	 * and no message is lost.
	 */
	boolean storms() {
		return this.storms;
	}

	/**
	 * Return how long a lease runs at first that is granted to a place, and not as the
	 * answer to a question.
	 */
	static Duration grantTime(LeaseRequest request) {
		Duration grant = request.lookInterval().multipliedBy(LOOKS_PER_GRANT).plus(request.lockDelay());
		return (grant.compareTo(request.leaseTime()) < 0) ? grant : request.leaseTime();
	}

	/**
	 * Grant a lease if the key is free for it. Who asks twice has what it has.
	 * @return the fencing token, zero if others have the key
	 */
	long acquire(SimulatedLease lease) {
		return grant(lease, key(lease.backendKey()), true);
	}

	/**
	 * As {@link #acquire}, and keep a place in the queue if others are in front.
	 * @param renewing whether to let a grant run anew
	 */
	long enqueue(SimulatedLease lease, boolean renewing) {
		Key key = key(lease.backendKey());
		if (!key.holders.containsKey(lease.owner())) {
			key.places.put(lease.owner(), new Place(lease, this.world.now() + lease.lengthNanos()));
		}
		return grant(lease, key, renewing);
	}

	/**
	 * Return whether a place that is taken now would be granted.
	 */
	boolean isFree(SimulatedLease lease) {
		return admits(lease, key(lease.backendKey()));
	}

	/**
	 * Return whether a lease says that nobody waits for it, which need not be true.
	 */
	boolean saysThatNobodyWaits() {
		return this.world.chance(this.handOver.says());
	}

	boolean grants() {
		return this.handOver.grants();
	}

	/**
	 * Let a lease run anew.
	 * @return {@code false} if this owner no longer has the key
	 */
	boolean renew(SimulatedLease lease, long lengthNanos) {
		Holder holder = key(lease.backendKey()).holders.get(lease.owner());
		this.world.mark(holder != null ? 5 : 4);
		if (holder == null) {
			return false;
		}
		holder.expiresAt = this.world.now() + lengthNanos;
		return true;
	}

	/**
	 * Remove an owner and its place.
	 * @return {@code false} if it had nothing
	 */
	boolean release(String backendKey, String owner) {
		Key key = key(backendKey);
		Holder holder = key.holders.remove(owner);
		Place place = key.places.remove(owner);
		this.world.mark(holder != null ? 7 : 6);
		if (holder != null) {
			this.world.note(() -> "released " + backendKey + " of " + owner);
			key.heldUntil = this.world.now();
		}
		if (holder != null || place != null) {
			grantToFirst(key);
			this.checks.publish(backendKey);
		}
		return holder != null;
	}

	/**
	 * Grant a key that is free to the first place, for a short time. Its node hears of it
	 * by the message that everybody gets, if by any, and asks.
	 */
	private void grantToFirst(Key key) {
		if (this.handOver.grants() && !key.places.isEmpty()) {
			SimulatedLease first = key.places.values().iterator().next().lease;
			if (!key.holders.containsKey(first.owner()) && admits(first, key)) {
				grant(first, key, true);
			}
		}
	}

	boolean holds(String backendKey, String owner) {
		return key(backendKey).holders.containsKey(owner);
	}

	/**
	 * Return since when nobody has the key.
	 * @return the time, or now if somebody has it
	 */
	long freeSince(String backendKey) {
		Key key = key(backendKey);
		return key.holders.isEmpty() ? key.heldUntil : this.world.now();
	}

	/**
	 * Return what is still there, {@code null} if nothing is.
	 */
	@Nullable String leftovers() {
		StringBuilder left = new StringBuilder();
		for (Map.Entry<String, Key> entry : this.keys.entrySet()) {
			Key key = key(entry.getKey());
			if (!key.holders.isEmpty() || !key.places.isEmpty()) {
				left.append(entry.getKey()).append(" has ").append(key.holders.keySet()).append(key.places.keySet());
			}
		}
		return left.isEmpty() ? null : left.toString();
	}

	private long grant(SimulatedLease lease, Key key, boolean renewing) {
		Holder holder = key.holders.get(lease.owner());
		if (holder == null && !admits(lease, key)) {
			this.world.mark(2);
			return 0;
		}
		if (holder == null) {
			holder = new Holder(lease.type(), this.tokens + 1);
			holder.tokens = Math.min(lease.request().tokens(), this.handOver.tokens());
			this.tokens += holder.tokens;
			boolean waited = key.places.containsKey(lease.owner());
			holder.lengthNanos = (waited && this.handOver.grants()) ? grantTime(lease.request()).toNanos()
					: lease.lengthNanos();
			key.holders.put(lease.owner(), holder);
			key.places.remove(lease.owner());
			Holder granted = holder;
			this.world
				.note(() -> "granted %s to %s, token %s".formatted(lease.backendKey(), lease.owner(), granted.token));
			holder.expiresAt = this.world.now() + holder.lengthNanos;
			this.checks.granted(lease, holder.token);
			if (!key.places.isEmpty()) {
				// a reader or a permit lets the next one in as well
				this.checks.publish(lease.backendKey());
			}
		}
		this.world.mark(holder.token << 8);
		if (renewing) {
			holder.expiresAt = this.world.now() + holder.lengthNanos;
		}
		lease.tokens = holder.tokens;
		lease.grantedNanos = holder.lengthNanos;
		return holder.token;
	}

	private boolean admits(SimulatedLease lease, Key key) {
		boolean free = switch (lease.type()) {
			case EXCLUSIVE, WRITE, FAIR -> key.holders.isEmpty();
			case READ -> key.holders.values().stream().allMatch((holder) -> holder.type == LockType.READ);
			case SEMAPHORE -> key.holders.size() < lease.permits();
		};
		boolean first = !queues(lease.type()) || key.places.isEmpty()
				|| key.places.keySet().iterator().next().equals(lease.owner());
		return free && first;
	}

	private Key key(String backendKey) {
		Key key = this.keys.computeIfAbsent(backendKey, (ignored) -> new Key());
		long now = this.world.now();
		for (Iterator<Holder> holders = key.holders.values().iterator(); holders.hasNext();) {
			Holder holder = holders.next();
			if (holder.expiresAt <= now) {
				key.heldUntil = Math.max(key.heldUntil, holder.expiresAt);
				holders.remove();
			}
		}
		key.places.values().removeIf((place) -> place.aliveUntil <= now);
		return key;
	}

	private static final class Key {

		private final Map<String, Holder> holders = new LinkedHashMap<>();

		private final Map<String, Place> places = new LinkedHashMap<>();

		private long heldUntil;

	}

	private record Place(SimulatedLease lease, long aliveUntil) {
	}

	private static final class Holder {

		private LockType type;

		private final long token;

		private long expiresAt;

		private long lengthNanos;

		private int tokens;

		private Holder(LockType type, long token) {
			this.type = type;
			this.token = token;
		}

	}

}
