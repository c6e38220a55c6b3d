package io.distributedlock.benchmarks.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.ProviderFactory;

/**
 * One JVM of a run. Its arguments are its number, the file of the ledger, and the
 * arguments of {@link SoakProviders}. It warms up, prints {@code READY}, works from the
 * line {@code go} to the line {@code stop} on its input, and then prints what it has more
 * of than before.
 */
final class SoakNode {

	static final int WORKERS = 12;

	/**
	 * Several templates share the provider of the JVM, so that the local provider has
	 * several nodes too.
	 */
	private static final int TEMPLATES = 2;

	static final Duration LEASE = Duration.ofSeconds(4);

	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration WARM_UP = Duration.ofSeconds(4);

	/**
	 * How long to wait until threads and objects have ended. Idle threads of pools end
	 * after a minute.
	 */
	private static final Duration SETTLING = Duration.ofSeconds(90);

	private final SoakTally tally = new SoakTally();

	private final ProviderFactory.Node node;

	private final List<DefaultLockTemplate> templates = new ArrayList<>();

	private final SoakLedger ledger;

	private final SoakLocks locks;

	private final int number;

	private SoakNode(int number, Path ledger, List<String> arguments) {
		this.number = number;
		this.node = new SoakProviders().create(arguments, COMMAND_TIMEOUT);
		this.locks = SoakLocks.of(this.node.provider());
		this.ledger = SoakLedger.open(ledger, SoakLocks.count(), Soak.WORKERS_OF_ALL,
				(violation) -> this.tally.fault("two owners", violation));
		for (int i = 0; i < TEMPLATES; i++) {
			this.templates.add(DefaultLockTemplate.builder()
				.provider(this.node.provider())
				.keyPrefix("soak")
				.renewalLeaseTime(LEASE)
				.commandTimeout(COMMAND_TIMEOUT)
				.pollInterval(Duration.ofMillis(200))
				.build());
		}
	}

	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws Exception {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		SoakNode node = new SoakNode(Integer.parseInt(args[0]), Path.of(args[1]),
				List.of(args).subList(2, args.length));
		AtomicBoolean warm = new AtomicBoolean();
		Thread warming = node.work(warm);
		Thread.sleep(WARM_UP.toMillis());
		warm.set(true);
		warming.join();
		Thread.sleep(LEASE.toMillis());
		SoakRemains before = SoakRemains.now();
		System.out.println("READY " + before);
		await(input, "go");
		AtomicBoolean over = new AtomicBoolean();
		Thread working = node.work(over);
		await(input, "stop");
		over.set(true);
		working.join();
		System.out.println("STOPPED");
		await(input, "measure");
		Map<String, String> left = node.settle(before);
		left.forEach((name, values) -> System.out.println("LEFT " + name + ": " + values));
		node.tally.counts().forEach((name, count) -> System.out.println("COUNT " + count + " " + name));
		node.tally.faults().forEach((name, count) -> System.out.println("FAULTS " + count + " " + name));
		System.out.println("MEASURED " + SoakRemains.now());
		await(input, "close");
		node.close();
		System.out.println("CLOSED");
		System.exit(0);
	}

	private static void await(BufferedReader input, String command) throws IOException {
		for (String line = input.readLine(); !command.equals(line); line = input.readLine()) {
			if (line == null) {
				throw new IOException("The run ended before the line '%s'".formatted(command));
			}
		}
	}

	/**
	 * Start the workers, which work until {@code over} is set.
	 * @return a thread that ends after all calls have ended, or after those that hang
	 * were reported as faults
	 */
	private Thread work(AtomicBoolean over) {
		List<Thread> workers = new ArrayList<>();
		for (int i = 0; i < WORKERS; i++) {
			DefaultLockTemplate template = this.templates.get(i % TEMPLATES);
			workers.add(new Thread(new SoakWorker(this.number * WORKERS + i, template, this.locks.locks(), this.ledger,
					this.tally, over::get), "soak-worker-" + i));
		}
		SoakCrowd crowd = new SoakCrowd(this.templates.get(0), this.tally, over::get);
		Thread crowding = new Thread(crowd, "soak-crowd");
		Thread all = new Thread(() -> {
			workers.forEach(Thread::start);
			crowding.start();
			try {
				while (!over.get()) {
					Thread.sleep(20);
					workers.get(ThreadLocalRandom.current().nextInt(workers.size())).interrupt();
				}
				crowding.join();
				if (!crowd.awaitEnd()) {
					this.tally.fault("calls without an end", "futures of the crowd did not complete within a minute");
				}
				for (Thread worker : workers) {
					end(worker);
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "soak-all");
		all.start();
		return all;
	}

	private void end(Thread worker) throws InterruptedException {
		worker.join(Duration.ofMinutes(1).toMillis());
		if (worker.isAlive()) {
			StringBuilder stack = new StringBuilder(worker.getName());
			for (StackTraceElement element : worker.getStackTrace()) {
				stack.append("\n    at ").append(element);
			}
			this.tally.fault("calls without an end", stack.toString());
		}
	}

	/**
	 * Wait until nothing is left, but not longer than {@link #SETTLING}.
	 */
	private Map<String, String> settle(SoakRemains before) throws InterruptedException {
		long end = System.nanoTime() + SETTLING.toNanos();
		Map<String, String> left = SoakRemains.now().beyond(before);
		while (!left.isEmpty() && System.nanoTime() - end < 0) {
			Thread.sleep(1000);
			left = SoakRemains.now().beyond(before);
		}
		return left;
	}

	private void close() throws Exception {
		for (DefaultLockTemplate template : this.templates) {
			template.close();
		}
		this.node.provider().close();
		this.node.client().close();
	}

}
