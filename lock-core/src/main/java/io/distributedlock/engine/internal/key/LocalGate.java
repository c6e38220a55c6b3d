package io.distributedlock.engine.internal.key;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Successor;
import io.distributedlock.engine.internal.runtime.Trampoline;
import org.jspecify.annotations.Nullable;

/**
 * Lets one call per key of this JVM through to the backend. The others wait in line, in
 * the order of their arrival. Who leaves with the lock may pass it on to the next in
 * line. It needs memory only for keys in use: the line of a key is removed when the last
 * call has left it.
 * <p>
 * Why: docs/decisions/002-local-gate.md, docs/decisions/043-passed-on-inside-a-jvm.md
 */
public final class LocalGate {

	/**
	 * How many callers are expected to get the lock one after the other, when callers
	 * have begun to wait for each other.
	 */
	private static final int FEWEST_HOLDERS = 8;

	/**
	 * Numbers that are not used are lost. This many last for some milliseconds, so a
	 * request for more is rare anyway.
	 */
	private static final int MOST_HOLDERS = 1024;

	private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();

	/**
	 * Prepare a turn at a key.
	 * @param key the key
	 * @param contender the call that wants it
	 * @return the turn, to be entered once and left in any case
	 */
	public LocalTurn turn(String key, Contender contender) {
		return new LocalTurn(key, contender);
	}

	public int size() {
		return this.lines.size();
	}

	/**
	 * One call's turn at a key: it has passed the gate, or stands in the line for it.
	 */
	final class LocalTurn implements Turn {

		private final String key;

		private volatile Contender contender;

		private volatile int expectedHolders = 1;

		/**
		 * Where it stands, from when it enters.
		 */
		private volatile @Nullable Line line;

		private LocalTurn(String key, Contender contender) {
			this.key = key;
			this.contender = contender;
		}

		@Override
		public @Nullable AcquisitionOutcome verdict() {
			Contender front = front();
			return (front != null) ? front.verdict() : null;
		}

		@Override
		public @Nullable Contender front() {
			AtomicReference<@Nullable LocalTurn> inside = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				inside.set(line.inside);
				return line;
			});
			LocalTurn front = inside.get();
			return (front != null && front != this) ? front.contender : null;
		}

		@Override
		public boolean enter() {
			Line mine = new Line(this);
			this.line = mine;
			// costs less than the next step, and most keys are free
			if (LocalGate.this.lines.putIfAbsent(this.key, mine) == null) {
				return true;
			}
			Line entered = LocalGate.this.lines.compute(this.key, (ignored, line) -> {
				if (line == null) {
					return mine;
				}
				line.add(this);
				return line;
			});
			this.line = entered;
			return entered == mine;
		}

		@Override
		public void leave() {
			AtomicReference<@Nullable LocalTurn> admitted = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				if (line.inside != this) {
					line.remove(this);
					return line;
				}
				admitted.set(line.admitNext());
				return (admitted.get() != null) ? line : null;
			});
			LocalTurn next = admitted.get();
			if (next != null) {
				Trampoline.run(next.contender::onTurn);
			}
		}

		@Override
		public void hold() {
			this.contender = Contender.HOLDER;
		}

		@Override
		public int expectedHolders() {
			return this.expectedHolders;
		}

		@Override
		public boolean isAwaited() {
			Line entered = this.line;
			return entered != null && entered.isAwaited;
		}

		@Override
		public List<Contender> behind() {
			List<Contender> behind = new ArrayList<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				if (line.inside == this && line.waiting != null) {
					line.waiting.forEach((turn) -> behind.add(turn.contender));
				}
				return line;
			});
			return behind;
		}

		@Override
		public @Nullable Successor passOn(HeldLock lock) {
			AtomicReference<@Nullable LocalTurn> successor = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				if (line.inside == this) {
					successor.set(line.passOn(lock));
				}
				return line;
			});
			LocalTurn next = successor.get();
			return (next != null) ? next.contender : null;
		}

		@Override
		public @Nullable Successor exchange(HeldLock lock) {
			AtomicReference<@Nullable LocalTurn> admitted = new AtomicReference<>();
			LocalGate.this.lines.computeIfPresent(this.key, (ignored, line) -> {
				LocalTurn next = (line.inside == this) ? line.next() : null;
				if (next != null && next.contender.exchanges(lock)) {
					admitted.set(line.admitNext());
				}
				return line;
			});
			LocalTurn next = admitted.get();
			return (next != null) ? next.contender : null;
		}

	}

	/**
	 * All calls that want one key. Only changed inside the map's atomic operations.
	 */
	private static final class Line {

		/**
		 * Created for the first call that waits, which most lines never have.
		 */
		private @Nullable Set<LocalTurn> waiting;

		private @Nullable LocalTurn inside;

		/**
		 * Whether a call waits, also for those who look from outside.
		 */
		private volatile boolean isAwaited;

		/**
		 * How many calls have had the lock since it came from the backend.
		 */
		private int holders = 1;

		private Line(LocalTurn first) {
			this.inside = first;
		}

		private void add(LocalTurn turn) {
			if (this.waiting == null) {
				this.waiting = new LinkedHashSet<>();
			}
			this.waiting.add(turn);
			this.isAwaited = true;
		}

		private void remove(LocalTurn turn) {
			if (this.waiting != null) {
				this.waiting.remove(turn);
				this.isAwaited = !this.waiting.isEmpty();
			}
		}

		private @Nullable LocalTurn next() {
			return (this.waiting == null || this.waiting.isEmpty()) ? null : this.waiting.iterator().next();
		}

		private @Nullable LocalTurn admitNext() {
			LocalTurn next = next();
			if (next != null) {
				remove(next);
				// twice as many as the last time, so that their number can grow
				next.expectedHolders = Math.min(Math.max(2 * this.holders, FEWEST_HOLDERS), MOST_HOLDERS);
			}
			this.inside = next;
			this.holders = 1;
			return next;
		}

		private @Nullable LocalTurn passOn(HeldLock lock) {
			LocalTurn successor = next();
			if (successor == null || !successor.contender.fits(lock)) {
				return null;
			}
			remove(successor);
			this.inside = successor;
			this.holders++;
			return successor;
		}

	}

}
