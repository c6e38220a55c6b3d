package io.distributedlock.benchmarks.contention.worker;

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
 * released it, with the number of the key and the fencing token. On Linux all processes
 * can compare these times, because {@link System#nanoTime()} is the same clock for all of
 * them.
 */
public final class Recording {

	private static final int FIELDS = 5;

	public static final long NO_TOKEN = -1;

	private long[] values = new long[FIELDS * 1024];

	private volatile int length;

	void add(int key, long asked, long entered, long left, long token) {
		int at = this.length;
		if (at == this.values.length) {
			this.values = Arrays.copyOf(this.values, at * 2);
		}
		this.values[at] = key;
		this.values[at + 1] = asked;
		this.values[at + 2] = entered;
		this.values[at + 3] = left;
		this.values[at + 4] = token;
		this.length = at + FIELDS;
	}

	void write(int thread, DataOutputStream out) throws IOException {
		int end = this.length;
		for (int i = 0; i < end; i += FIELDS) {
			out.writeInt(thread);
			for (int field = 0; field < FIELDS; field++) {
				out.writeLong(this.values[i + field]);
			}
		}
	}

	/**
	 * Read what the threads of one JVM have recorded.
	 * @param jvm the number of the JVM
	 * @param threads how many threads each JVM has
	 */
	public static void read(Path file, int jvm, int threads, List<Section> sections) throws IOException {
		try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
			while (true) {
				int thread;
				try {
					thread = in.readInt();
				}
				catch (EOFException ex) {
					return;
				}
				sections.add(new Section(jvm, jvm * threads + thread, (int) in.readLong(), in.readLong(), in.readLong(),
						in.readLong(), in.readLong()));
			}
		}
	}

	/**
	 * One time inside the section.
	 *
	 * @param jvm the number of the JVM
	 * @param thread the number of the thread among those of all JVMs
	 * @param key the number of the key
	 * @param asked when it asked for the lock
	 * @param entered when it had the lock
	 * @param left when it was about to release the lock
	 * @param token the fencing token, or {@link #NO_TOKEN}
	 */
	public record Section(int jvm, int thread, int key, long asked, long entered, long left, long token) {
	}

}
