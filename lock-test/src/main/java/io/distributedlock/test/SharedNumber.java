package io.distributedlock.test;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.stream.IntStream;

/**
 * A number in memory that JVMs may share by a file. It starts at zero. Thread-safe, also
 * between these JVMs.
 *
 * @param memory the memory
 * @param offset where the number is
 */
record SharedNumber(ByteBuffer memory, int offset) {

	private static final VarHandle NUMBER = MethodHandles.byteBufferViewVarHandle(long[].class,
			ByteOrder.nativeOrder());

	/**
	 * More than any storm needs.
	 */
	private static final int SIZE = 4096;

	/**
	 * Return numbers of this JVM, one after the other.
	 */
	static Iterator<SharedNumber> inThisJvm() {
		return in(ByteBuffer.allocateDirect(SIZE));
	}

	/**
	 * Return numbers in a file, in the same order for each JVM.
	 */
	static Iterator<SharedNumber> in(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return in(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
		}
	}

	private static Iterator<SharedNumber> in(ByteBuffer memory) {
		return IntStream.range(0, SIZE / Long.BYTES)
			.mapToObj((index) -> new SharedNumber(memory, index * Long.BYTES))
			.iterator();
	}

	long get() {
		return (long) NUMBER.getVolatile(this.memory, this.offset);
	}

	void set(long value) {
		NUMBER.setVolatile(this.memory, this.offset, value);
	}

	/**
	 * Add to the number.
	 * @return what it was before
	 */
	long add(long summand) {
		return (long) NUMBER.getAndAdd(this.memory, this.offset, summand);
	}

	void atLeast(long value) {
		for (long current = get(); current < value; current = get()) {
			NUMBER.compareAndSet(this.memory, this.offset, current, value);
		}
	}

}
