package io.distributedlock.benchmarks.contention.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.contender.Contender;

/**
 * One JVM in which many threads wait for a key that another thread holds. Its arguments
 * are the contender, the address of the server and the number of waiting threads. For
 * each line {@code wait} it acquires the key, starts the threads and prints
 * {@code WAITING}. For {@code release} it releases the key and prints after how many
 * nanoseconds all of them had been inside.
 */
public final class WaitingWorker {

	private WaitingWorker() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream parent = WorkerJvm.takeOutput();
		Contender contender = Candidates.named(args[0]).open(args[1]);
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		parent.println("READY");
		while ("wait".equals(input.readLine())) {
			Contender.Hold hold = contender.lock(Worker.KEY);
			List<Thread> threads = startThreads(contender, Integer.parseInt(args[2]));
			while (threads.stream().map(Thread::getState).anyMatch((state) -> state == Thread.State.RUNNABLE)) {
				Thread.sleep(10);
			}
			parent.println("WAITING");
			input.readLine();
			long start = System.nanoTime();
			hold.unlock();
			for (Thread thread : threads) {
				thread.join();
			}
			parent.println("SERVED " + (System.nanoTime() - start));
		}
		Runtime.getRuntime().halt(0);
	}

	private static List<Thread> startThreads(Contender contender, int count) {
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Thread thread = new Thread(() -> {
				try {
					contender.lock(Worker.KEY).unlock();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			});
			thread.start();
			threads.add(thread);
		}
		return threads;
	}

}
