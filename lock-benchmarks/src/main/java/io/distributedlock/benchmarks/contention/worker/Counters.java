package io.distributedlock.benchmarks.contention.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/**
 * A number for each key, in memory that all JVMs of a run share. Nothing but the lock
 * protects it: if two threads are inside together, an increment is lost.
 */
public final class Counters {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private final ByteBuffer memory;

	private Counters(ByteBuffer memory) {
		this.memory = memory;
	}

	/**
	 * Open the counters of a run.
	 * @param file the file that all its JVMs open
	 * @param keys how many keys there are
	 */
	public static Counters open(Path file, int keys) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return new Counters(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) keys * Long.BYTES));
		}
	}

	/**
	 * Read the number of a key, pause, and write it back with one more.
	 */
	void increment(int key, long pauseNanos) {
		long value = (long) LONGS.getVolatile(this.memory, key * Long.BYTES);
		if (pauseNanos > 0) {
			LockSupport.parkNanos(pauseNanos);
		}
		LONGS.setVolatile(this.memory, key * Long.BYTES, value + 1);
	}

	/**
	 * Return how many increments are in the numbers of all keys.
	 */
	public long sum() {
		long sum = 0;
		for (int at = 0; at < this.memory.capacity(); at += Long.BYTES) {
			sum += (long) LONGS.getVolatile(this.memory, at);
		}
		return sum;
	}

}
