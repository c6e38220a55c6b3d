package io.distributedlock.benchmarks.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;

/**
 * Records which worker holds which hot lock, in memory that all JVMs of a run share. A
 * worker records from when until when its lease was valid. On Linux all processes can
 * compare these times, because {@link System#nanoTime()} is the same clock for all of
 * them. Two times that overlap are a violation: the lock had two owners. A fencing token
 * that is not higher than the one before is a violation too.
 */
final class SoakLedger {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int FROM = 0;

	private static final int LAST = 1;

	private static final int SHARED = 2;

	private static final int CELL = 3;

	private static final int TOKEN = 0;

	private static final int HOLDS = 1;

	private static final int HEADER = 2;

	private final ByteBuffer memory;

	private final int workers;

	private final Consumer<String> violations;

	private SoakLedger(ByteBuffer memory, int workers, Consumer<String> violations) {
		this.memory = memory;
		this.workers = workers;
		this.violations = violations;
	}

	/**
	 * Open the ledger of a run.
	 * @param file the file that all its JVMs open
	 * @param keys how many hot locks there are
	 * @param workers how many workers there are on all nodes together
	 * @param violations receives a description of each violation
	 */
	static SoakLedger open(Path file, int keys, int workers, Consumer<String> violations) {
		long size = (long) keys * (HEADER + (long) workers * CELL) * Long.BYTES;
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new SoakLedger(channel.map(FileChannel.MapMode.READ_WRITE, 0, size), workers, violations);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return how often a lock was held.
	 */
	long holds(int key) {
		return get(header(key) + HOLDS);
	}

	/**
	 * Record that a lock was acquired.
	 * @param key the number of the lock
	 * @param worker the number of the worker
	 * @param permits how many workers may hold it together
	 * @param shared whether a reader holds it
	 * @param handle the handle of the lock
	 * @return the hold, which records how long the lock is held
	 */
	Hold enter(int key, int worker, int permits, boolean shared, LockHandle handle) {
		long before = get(header(key) + TOKEN);
		long from = System.nanoTime();
		Hold hold = new Hold(key, worker, permits, shared, handle);
		if (!handle.isValid()) {
			return hold;
		}
		int cell = cell(key, worker);
		set(cell + LAST, 0);
		set(cell + SHARED, shared ? 1 : 0);
		set(cell + FROM, from);
		set(cell + LAST, from);
		hold.from = from;
		LONGS.getAndAdd(this.memory, (header(key) + HOLDS) * Long.BYTES, 1L);
		if (permits == 1 && !shared && handle.fencingToken().isPresent()) {
			long token = handle.fencingToken().getAsLong();
			// the token before was recorded before this lease began
			if (token <= before) {
				this.violations.accept("lock %s: token %s comes after %s".formatted(key, token, before));
			}
			raise(header(key) + TOKEN, token);
		}
		return hold;
	}

	private void check(Hold hold) {
		int holders = 1;
		int mine = cell(hold.key, hold.worker);
		long last = get(mine + LAST);
		for (int worker = 0; worker < this.workers; worker++) {
			int cell = cell(hold.key, worker);
			long otherFrom = get(cell + FROM);
			long otherLast = get(cell + LAST);
			boolean otherShared = get(cell + SHARED) == 1;
			if (worker == hold.worker || otherLast == 0 || otherFrom == 0 || get(cell + FROM) != otherFrom) {
				continue;
			}
			if (hold.permits > 1) {
				holders += (otherFrom <= hold.from && hold.from < otherLast) ? 1 : 0;
			}
			else if (!(hold.shared && otherShared) && Math.max(hold.from, otherFrom) < Math.min(last, otherLast)) {
				this.violations.accept("lock %s: workers %s and %s held it together for %s us".formatted(hold.key,
						hold.worker, worker, (Math.min(last, otherLast) - Math.max(hold.from, otherFrom)) / 1000));
			}
		}
		if (holders > hold.permits) {
			this.violations.accept("lock %s: %s holders of %s permits".formatted(hold.key, holders, hold.permits));
		}
	}

	private int header(int key) {
		return key * (HEADER + this.workers * CELL);
	}

	private int cell(int key, int worker) {
		return header(key) + HEADER + worker * CELL;
	}

	private long get(int index) {
		return (long) LONGS.getVolatile(this.memory, index * Long.BYTES);
	}

	private void set(int index, long value) {
		LONGS.setVolatile(this.memory, index * Long.BYTES, value);
	}

	private void raise(int index, long value) {
		for (long current = get(index); current < value; current = get(index)) {
			if (LONGS.compareAndSet(this.memory, index * Long.BYTES, current, value)) {
				return;
			}
		}
	}

	/**
	 * One hold of a lock by a worker.
	 */
	final class Hold {

		private final int key;

		private final int worker;

		private final int permits;

		private final boolean shared;

		private final LockHandle handle;

		private long from;

		private Hold(int key, int worker, int permits, boolean shared, LockHandle handle) {
			this.key = key;
			this.worker = worker;
			this.permits = permits;
			this.shared = shared;
			this.handle = handle;
		}

		/**
		 * Record that the lock is still held, if its lease is valid.
		 * @return whether the lease is valid
		 */
		boolean touch() {
			long now = System.nanoTime();
			if (this.from == 0 || !this.handle.isValid()) {
				return false;
			}
			set(cell(this.key, this.worker) + LAST, now);
			return true;
		}

		/**
		 * Compare this hold with those of the other workers. Called before the lock is
		 * released.
		 */
		void leave() {
			touch();
			if (this.from != 0) {
				check(this);
			}
		}

	}

}
