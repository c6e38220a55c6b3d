package io.distributedlock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets one call per key of this JVM through to the backend. The others wait in line, in
 * the order of their arrival. It needs memory only for keys in use: the line of a key is
 * removed when the last call has left it.
 * <p>
 * Why: docs/decisions/002-local-gate.md
 */
final class LocalGate {

	private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();

	/**
	 * Prepare a turn at a key.
	 * @param key the key
	 * @param onTurn called when a call that had to stand in line may pass, on the thread
	 * of the one who left, after the step that made it leave
	 * @param verdict returns what this call knows of the key, for the calls behind it:
	 * contended or unavailable, {@code null} if it does not know yet
	 * @return the turn, to be entered once and left in any case
	 */
	LocalTurn turn(String key, Runnable onTurn, Supplier<@Nullable AcquisitionOutcome> verdict) {
		return new LocalTurn(key, onTurn, verdict);
	}

	int size() {
		return this.lines.size();
	}

	/**
	 * One call's turn at a key: it has passed the gate, or stands in the line for it.
	 */
	final class LocalTurn implements Turn {

		private final String key;

		private final Runnable onTurn;

		private final Supplier<@Nullable AcquisitionOutcome> verdict;

		private LocalTurn(String key, Runnable onTurn, Supplier<@Nullable AcquisitionOutcome> verdict) {
			this.key = key;
			this.onTurn = onTurn;
			this.verdict = verdict;
		}

		@Override
		public @Nullable AcquisitionOutcome verdict() {
			AtomicReference<@Nullable LocalTurn> inside = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				inside.set(line.inside);
				return line;
			});
			LocalTurn front = inside.get();
			return (front != null && front != this) ? front.verdict.get() : null;
		}

		@Override
		public boolean enter() {
			Line entered = LocalGate.this.lines.compute(this.key, (ignored, line) -> {
				if (line == null) {
					return new Line(this);
				}
				line.waiting.add(this);
				return line;
			});
			return entered.first == this;
		}

		@Override
		public void leave() {
			AtomicReference<@Nullable LocalTurn> admitted = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				if (line.inside != this) {
					line.waiting.remove(this);
					return line;
				}
				admitted.set(line.admitNext());
				return (admitted.get() != null) ? line : null;
			});
			LocalTurn next = admitted.get();
			if (next != null) {
				Trampoline.run(next.onTurn);
			}
		}

	}

	/**
	 * All calls that want one key. Only touched inside the map's atomic operations.
	 */
	private static final class Line {

		private final LocalTurn first;

		private final Set<LocalTurn> waiting = new LinkedHashSet<>();

		private @Nullable LocalTurn inside;

		private Line(LocalTurn first) {
			this.first = first;
			this.inside = first;
		}

		private @Nullable LocalTurn admitNext() {
			Iterator<LocalTurn> next = this.waiting.iterator();
			this.inside = next.hasNext() ? next.next() : null;
			if (this.inside != null) {
				next.remove();
			}
			return this.inside;
		}

	}

}
