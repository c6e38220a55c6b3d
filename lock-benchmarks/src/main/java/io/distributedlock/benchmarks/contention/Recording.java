package io.distributedlock.benchmarks.contention;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What one thread has recorded: when it asked for the lock, when it had it, and when it
 * released it. On Linux all processes can compare these times, because
 * {@link System#nanoTime()} is the same clock for all of them.
 */
final class Recording {

	private static final int FIELDS = 3;

	private long[] times = new long[FIELDS * 1024];

	private volatile int length;

	void add(long asked, long entered, long left) {
		int at = this.length;
		if (at == this.times.length) {
			this.times = Arrays.copyOf(this.times, at * 2);
		}
		this.times[at] = asked;
		this.times[at + 1] = entered;
		this.times[at + 2] = left;
		this.length = at + FIELDS;
	}

	void write(int thread, DataOutputStream out) throws IOException {
		int end = this.length;
		for (int i = 0; i < end; i += FIELDS) {
			out.writeInt(thread);
			out.writeLong(this.times[i]);
			out.writeLong(this.times[i + 1]);
			out.writeLong(this.times[i + 2]);
		}
	}

	/**
	 * Read what the threads of one JVM have recorded.
	 * @param jvm the number of the JVM
	 * @param threads how many threads each JVM has
	 */
	static void read(Path file, int jvm, int threads, List<Section> sections) throws IOException {
		try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
			while (true) {
				int thread;
				try {
					thread = in.readInt();
				}
				catch (EOFException ex) {
					return;
				}
				sections.add(new Section(jvm, jvm * threads + thread, in.readLong(), in.readLong(), in.readLong()));
			}
		}
	}

	/**
	 * One time inside the section.
	 *
	 * @param jvm the number of the JVM
	 * @param thread the number of the thread among those of all JVMs
	 * @param asked when it asked for the lock
	 * @param entered when it had the lock
	 * @param left when it was about to release the lock
	 */
	record Section(int jvm, int thread, long asked, long entered, long left) {
	}

}
