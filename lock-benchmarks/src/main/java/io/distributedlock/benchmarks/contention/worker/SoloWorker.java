package io.distributedlock.benchmarks.contention.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.contender.Contender;

/**
 * One JVM that runs contenders in turns, without contention. Its argument is the address
 * of the server. Each line on its input is a contender, the number of threads, the number
 * of milliseconds or keys, and what to do ({@link Work}). The answer is how many cycles
 * were done in how many nanoseconds.
 */
public final class SoloWorker {

	private final Map<String, Contender> contenders = new HashMap<>();

	private final String url;

	private SoloWorker(String url) {
		this.url = url;
	}

	public static void main(String[] args) throws Exception {
		PrintStream parent = WorkerJvm.takeOutput();
		SoloWorker worker = new SoloWorker(args[0]);
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		parent.println("READY");
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			String[] parts = line.split(" ", -1);
			parent.println("CYCLES " + worker.run(parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2]),
					Work.valueOf(parts[3])));
		}
		Runtime.getRuntime().halt(0);
	}

	private String run(String name, int threads, long amount, Work work) throws Exception {
		Contender contender = this.contenders.get(name);
		if (contender == null) {
			contender = Candidates.named(name).open(this.url);
			this.contenders.put(name, contender);
		}
		AtomicLong cycles = new AtomicLong();
		Slice slice = new Slice(contender, name, amount, cycles, new AtomicLong());
		long start = System.nanoTime();
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			int number = i;
			Thread thread = new Thread(() -> slice.run(number, work));
			thread.start();
			running.add(thread);
		}
		for (Thread thread : running) {
			thread.join();
		}
		return cycles + " " + (System.nanoTime() - start);
	}

	/**
	 * What a thread does.
	 */
	public enum Work {

		/**
		 * Acquire and release a key of its own, for some time.
		 */
		CYCLE,

		/**
		 * The same while it holds the key.
		 */
		REENTER,

		/**
		 * Acquire and release each of many keys once.
		 */
		KEYS

	}

	private record Slice(Contender contender, String name, long amount, AtomicLong cycles, AtomicLong nextKey) {

		private void run(int thread, Work work) {
			String own = "%s:%s".formatted(this.name, thread);
			try {
				switch (work) {
					case CYCLE -> cycle(own);
					case REENTER -> {
						Contender.Hold hold = this.contender.lock(own);
						cycle(own);
						hold.unlock();
					}
					case KEYS -> keys();
				}
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		private void cycle(String key) throws Exception {
			long end = System.nanoTime() + this.amount * 1_000_000;
			long count = 0;
			while (System.nanoTime() - end < 0) {
				this.contender.lock(key).unlock();
				count++;
			}
			this.cycles.addAndGet(count);
		}

		private void keys() throws Exception {
			for (long key = this.nextKey.getAndIncrement(); key < this.amount; key = this.nextKey.getAndIncrement()) {
				this.contender.lock(this.name + ":" + key).unlock();
				this.cycles.incrementAndGet();
			}
		}

	}

}
