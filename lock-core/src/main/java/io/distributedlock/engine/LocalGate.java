package io.distributedlock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets one contender per key of this JVM through to the backend; the others queue in the
 * order in which they came. Its memory is bounded by the keys in use: the lane of a key
 * is gone when the last one has left it.
 */
final class LocalGate {

	private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();

	/**
	 * Prepare a place for a key.
	 * @param key the key
	 * @param onTurn called when a place that had to queue gets its turn, on the thread of
	 * the one who left, after the step that made it leave
	 * @param verdict tells those behind, when this place is inside, how it stands with
	 * the key: contended or unavailable, {@code null} for not known yet
	 * @return the place, to be entered once and left in any case
	 */
	Place place(String key, Runnable onTurn, Supplier<@Nullable Outcome> verdict) {
		return new Place(key, onTurn, verdict);
	}

	int size() {
		return this.lanes.size();
	}

	/**
	 * A place in the lane of a key: inside, or queueing for it.
	 */
	final class Place implements Turn {

		private final String key;

		private final Runnable onTurn;

		private final Supplier<@Nullable Outcome> verdict;

		private Place(String key, Runnable onTurn, Supplier<@Nullable Outcome> verdict) {
			this.key = key;
			this.onTurn = onTurn;
			this.verdict = verdict;
		}

		@Override
		public @Nullable Outcome verdict() {
			AtomicReference<@Nullable Place> inside = new AtomicReference<>();
			LocalGate.this.lanes.computeIfPresent(this.key, (ignored, lane) -> {
				inside.set(lane.inside);
				return lane;
			});
			Place front = inside.get();
			return (front != null && front != this) ? front.verdict.get() : null;
		}

		@Override
		public boolean enter() {
			Lane entered = LocalGate.this.lanes.compute(this.key, (ignored, lane) -> {
				if (lane == null) {
					return new Lane(this);
				}
				lane.queue.add(this);
				return lane;
			});
			return entered.first == this;
		}

		@Override
		public void leave() {
			AtomicReference<@Nullable Place> admitted = new AtomicReference<>();
			LocalGate.this.lanes.computeIfPresent(this.key, (ignored, lane) -> {
				if (lane.inside != this) {
					lane.queue.remove(this);
					return lane;
				}
				admitted.set(lane.admitNext());
				return (admitted.get() != null) ? lane : null;
			});
			Place next = admitted.get();
			if (next != null) {
				Trampoline.run(next.onTurn);
			}
		}

	}

	/**
	 * All places for one key. Only touched inside the map's atomic operations.
	 */
	private static final class Lane {

		private final Place first;

		private final Set<Place> queue = new LinkedHashSet<>();

		private @Nullable Place inside;

		private Lane(Place first) {
			this.first = first;
			this.inside = first;
		}

		private @Nullable Place admitNext() {
			Iterator<Place> waiting = this.queue.iterator();
			this.inside = waiting.hasNext() ? waiting.next() : null;
			if (this.inside != null) {
				waiting.remove();
			}
			return this.inside;
		}

	}

}
