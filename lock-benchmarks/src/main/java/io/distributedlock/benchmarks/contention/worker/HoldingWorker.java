package io.distributedlock.benchmarks.contention.worker;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.contender.Contender;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;

/**
 * One JVM that holds many locks, and prints how many bytes of heap each takes. Its
 * arguments are the contender, the address of the server and the number of locks.
 * {@link Candidates#WAITING} instead of a contender means calls that wait.
 */
public final class HoldingWorker {

	private static final int CONNECTING_CYCLES = 100;

	private static final int COLLECTIONS = 6;

	private HoldingWorker() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream parent = WorkerJvm.takeOutput();
		int count = Integer.parseInt(args[2]);
		// they are referred to until the JVM ends
		List<Object> held = new ArrayList<>(count);
		if (args[0].equals(Candidates.WAITING)) {
			parent.println("BYTES " + waiting(held, count));
		}
		else {
			parent.println("BYTES " + holding(held, Candidates.named(args[0]).open(args[1]), count));
		}
		Worker.readLine();
		parent.println("DONE " + held.size());
		Runtime.getRuntime().halt(0);
	}

	private static long holding(List<Object> held, Contender contender, int count) throws Exception {
		for (int i = 0; i < CONNECTING_CYCLES; i++) {
			contender.lock("connect:" + i).unlock();
		}
		long before = usedHeap();
		for (int i = 0; i < count; i++) {
			held.add(contender.lock("order:" + i));
		}
		return (usedHeap() - before) / count;
	}

	private static long waiting(List<Object> held, int count) throws Exception {
		LockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		LockRequest request = LockRequest.of(Worker.KEY).withWaitTime(Contender.FOREVER);
		for (int i = 0; i < CONNECTING_CYCLES; i++) {
			template.acquireAsync(request).get().close();
		}
		held.add(template.acquireAsync(request).get());
		long before = usedHeap();
		for (int i = 0; i < count; i++) {
			CompletableFuture<LockHandle> waiting = template.acquireAsync(request);
			held.add(waiting);
		}
		return (usedHeap() - before) / count;
	}

	/**
	 * Return the least of several measurements: renewals make garbage in the meantime.
	 */
	private static long usedHeap() throws InterruptedException {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < COLLECTIONS; i++) {
			Thread.sleep(100);
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

}
