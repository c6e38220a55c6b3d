package io.distributedlock.benchmarks.contention.worker;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.contender.Contender;

/**
 * One JVM whose threads compete for keys. Its arguments are the contender, the address of
 * the server, the number of threads, how long a section takes in microseconds, the file
 * for its recording, how the keys begin, how many they are, the file of the
 * {@link Counters}, and for how many milliseconds calls wait: each for one of these
 * times, without any for as long as it takes. It prints {@code READY}, reads the line
 * with the times at which it starts, begins to record and ends, and prints {@code DONE}
 * with the number of calls that failed or did not end, and the number of increments.
 */
public final class Worker {

	public static final String KEY = "order:4711";

	private static final long LAST_CALLS_SECONDS = 5;

	private static final int CONNECTING_CYCLES = 20;

	private static final int MOST_FAILED_CYCLES = 3;

	/**
	 * Between a call that was refused and the next one of its thread.
	 */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Contender contender;

	private final long sectionNanos;

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicLong increments = new AtomicLong();

	private final List<String> keys;

	private final Counters counters;

	private final List<Duration> waits;

	private Worker(Contender contender, List<String> keys, Counters counters, long sectionNanos, List<Duration> waits) {
		this.waits = waits;
		this.keys = keys;
		this.counters = counters;
		this.contender = contender;
		this.sectionNanos = sectionNanos;
	}

	public static void main(String[] args) throws Exception {
		PrintStream parent = WorkerJvm.takeOutput();
		List<String> keys = IntStream.range(0, Integer.parseInt(args[6])).mapToObj((i) -> args[5] + ":" + i).toList();
		Worker worker = new Worker(Candidates.named(args[0]).open(args[1]), keys,
				Counters.open(Path.of(args[7]), keys.size()), TimeUnit.MICROSECONDS.toNanos(Long.parseLong(args[3])),
				Arrays.stream(args).skip(8).map(Long::valueOf).map(Duration::ofMillis).toList());
		worker.connect();
		parent.println("READY");
		String[] times = readLine().split(" ", -1);
		List<Recording> recordings = worker.run(Integer.parseInt(args[2]), Long.parseLong(times[0]),
				Long.parseLong(times[1]), Long.parseLong(times[2]));
		write(recordings, Path.of(args[4]));
		parent.println("DONE " + worker.failures + " " + worker.increments);
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
		int failed = 0;
		for (int i = 0; i < CONNECTING_CYCLES; i++) {
			try {
				this.contender.lock(own).unlock();
			}
			catch (Exception ex) {
				// on a busy machine loading the classes takes longer than a command may
				ex.printStackTrace();
				if (++failed > MOST_FAILED_CYCLES) {
					throw ex;
				}
			}
		}
	}

	private List<Recording> run(int threads, long start, long recordFrom, long end) throws InterruptedException {
		List<Recording> recordings = new ArrayList<>();
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Recording recording = new Recording();
			recordings.add(recording);
			String toWarmUp = this.keys.get(0) + ":warm-up:" + i;
			Thread thread = new Thread(() -> {
				LockSupport.parkNanos(start - System.nanoTime());
				warmUp(toWarmUp, start + (recordFrom - start) / 2);
				compete(recording, recordFrom, end);
			}, "worker-" + i);
			thread.setDaemon(true);
			running.add(thread);
			thread.start();
		}
		long last = end + TimeUnit.SECONDS.toNanos(LAST_CALLS_SECONDS);
		for (Thread thread : running) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(last - System.nanoTime())));
			if (thread.isAlive()) {
				this.failures.incrementAndGet();
			}
		}
		return recordings;
	}

	/**
	 * Let a lock go from JVM to JVM as often as it can. With sections that last it would
	 * take minutes until the code of a contender is compiled, as it is in a service.
	 */
	private void warmUp(String key, long until) {
		while (System.nanoTime() - until < 0) {
			try {
				this.contender.lock(key).unlock();
			}
			catch (Exception ex) {
				onFailure(ex);
			}
		}
	}

	private void onFailure(Exception failure) {
		if (this.failures.getAndIncrement() == 0) {
			failure.printStackTrace();
		}
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
	}

	private void compete(Recording recording, long recordFrom, long end) {
		for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
			try {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				int key = random.nextInt(this.keys.size());
				Contender.Hold hold = this.contender.lock(this.keys.get(key), wait(random));
				if (hold == null) {
					LockSupport.parkNanos(PAUSE_NANOS);
					continue;
				}
				long entered = System.nanoTime();
				this.counters.increment(key, this.sectionNanos);
				long left = System.nanoTime();
				this.increments.incrementAndGet();
				long token = hold.fencingToken().orElse(Recording.NO_TOKEN);
				hold.unlock();
				if (left - recordFrom > 0) {
					recording.add(key, asked, entered, left, token);
				}
			}
			catch (Exception ex) {
				onFailure(ex);
			}
		}
	}

	private Duration wait(ThreadLocalRandom random) {
		return this.waits.isEmpty() ? Contender.FOREVER : this.waits.get(random.nextInt(this.waits.size()));
	}

	private static void write(List<Recording> recordings, Path file) throws IOException {
		try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
			for (int i = 0; i < recordings.size(); i++) {
				recordings.get(i).write(i, out);
			}
		}
	}

}
