package io.distributedlock.benchmarks.contention;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One JVM whose threads compete for a key. Its arguments are the contender, the address
 * of the server, the number of threads, how long a section takes in microseconds, the
 * file for its recording, and the key. It prints {@code READY}, reads the line with the
 * times at which it starts, begins to record and ends, and prints {@code DONE}.
 */
final class Worker {

	static final String KEY = "order:4711";

	private static final long LAST_CALLS_SECONDS = 5;

	private static final int CONNECTING_CYCLES = 20;

	private final Contender contender;

	private final long sectionNanos;

	private final AtomicInteger failures = new AtomicInteger();

	private final String key;

	private Worker(Contender contender, String key, long sectionNanos) {
		this.key = key;
		this.contender = contender;
		this.sectionNanos = sectionNanos;
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws Exception {
		Worker worker = new Worker(Candidates.named(args[0]).open(args[1]), args[5],
				TimeUnit.MICROSECONDS.toNanos(Long.parseLong(args[3])));
		worker.connect();
		System.out.println("READY");
		String[] times = readLine().split(" ", -1);
		List<Recording> recordings = worker.run(Integer.parseInt(args[2]), Long.parseLong(times[0]),
				Long.parseLong(times[1]), Long.parseLong(times[2]));
		write(recordings, Path.of(args[4]));
		System.out.println("DONE " + worker.failures);
		// some clients have threads that are not daemons
		Runtime.getRuntime().halt(0);
	}

	static String readLine() throws IOException {
		String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
		if (line == null) {
			throw new IOException("The parent process has ended");
		}
		return line;
	}

	/**
	 * Open the connections and load the classes, with a key that no other JVM uses.
	 */
	private void connect() throws Exception {
		String own = "own:" + UUID.randomUUID();
		for (int i = 0; i < CONNECTING_CYCLES; i++) {
			this.contender.lock(own).unlock();
		}
	}

	private List<Recording> run(int threads, long start, long recordFrom, long end) throws InterruptedException {
		List<Recording> recordings = new ArrayList<>();
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Recording recording = new Recording();
			recordings.add(recording);
			Thread thread = new Thread(() -> compete(recording, start, recordFrom, end), "worker-" + i);
			thread.setDaemon(true);
			running.add(thread);
			thread.start();
		}
		long last = end + TimeUnit.SECONDS.toNanos(LAST_CALLS_SECONDS);
		for (Thread thread : running) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(last - System.nanoTime())));
		}
		return recordings;
	}

	private void compete(Recording recording, long start, long recordFrom, long end) {
		LockSupport.parkNanos(start - System.nanoTime());
		for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
			try {
				Contender.Hold hold = this.contender.lock(this.key);
				long entered = System.nanoTime();
				if (this.sectionNanos > 0) {
					LockSupport.parkNanos(this.sectionNanos);
				}
				long left = System.nanoTime();
				hold.unlock();
				if (left - recordFrom > 0) {
					recording.add(asked, entered, left);
				}
			}
			catch (Exception ex) {
				if (this.failures.getAndIncrement() == 0) {
					ex.printStackTrace();
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
		}
	}

	private static void write(List<Recording> recordings, Path file) throws IOException {
		try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
			for (int i = 0; i < recordings.size(); i++) {
				recordings.get(i).write(i, out);
			}
		}
	}

}
