package io.distributedlock.benchmarks.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.distributedlock.test.process.ChildJvm;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The soak: several JVMs use all lock types for minutes or hours, on hot keys and on a
 * million others, with time-outs, interrupts, cancelled futures and handles that are
 * never closed. Meanwhile the server is killed and restarted, and nodes are paused and
 * killed. The arguments are the provider, the duration, such as {@code 60s}, {@code 10m}
 * or {@code 2h}, and optionally the seed of an earlier run, to repeat its order of
 * faults. The exit code is 0 only if no lock had two owners, every call ended, and
 * nothing is left.
 */
public final class Soak {

	static final int NODES = 3;

	static final int WORKERS_OF_ALL = NODES * SoakNode.WORKERS;

	private static final Duration FIRST_FAULT = Duration.ofSeconds(4);

	/**
	 * No node is killed in this time before the end, because its replacement would not be
	 * ready for work any more.
	 */
	private static final Duration LAST_DEATH = Duration.ofSeconds(25);

	private static final Duration LONGEST_WAIT = Duration.ofMinutes(4);

	private final SoakServer server;

	private final String[] childArguments;

	private final Random random;

	private final List<Member> members = new ArrayList<>();

	private final Map<String, Long> counts = new TreeMap<>();

	private final List<String> findings = new ArrayList<>();

	private final boolean manyJvms;

	private Soak(SoakServer server, Path ledger, long seed) {
		this.server = server;
		this.random = new Random(seed);
		this.manyJvms = server.arguments().size() > 1;
		List<String> arguments = new ArrayList<>(List.of(ledger.toString()));
		arguments.addAll(server.arguments());
		this.childArguments = arguments.toArray(String[]::new);
	}

	/**
	 * Run a soak.
	 * @param args the provider, the duration, and optionally the seed
	 */
	@SuppressWarnings("SystemOut")
	public static void main(String[] args) throws IOException {
		if (args.length < 2) {
			System.out.println("Usage: Soak <provider> <duration, such as 60s, 10m or 2h> [seed]");
			System.exit(2);
		}
		Duration time = Duration.parse("PT" + args[1]);
		long seed = (args.length > 2) ? Long.parseLong(args[2]) : System.nanoTime();
		System.out.printf("Soak of %s for %s, seed %s%n", args[0], args[1], seed);
		Path ledger = Files.createTempFile("soak", ".ledger");
		boolean clean;
		try (SoakServer server = SoakServer.run(args[0])) {
			Soak soak = new Soak(server, ledger, seed);
			try {
				soak.run(time);
			}
			catch (RuntimeException ex) {
				soak.findings.add("the run failed: " + ex);
				ex.printStackTrace();
			}
			finally {
				soak.members.forEach((member) -> member.jvm.close());
			}
			clean = soak.report();
		}
		finally {
			Files.delete(ledger);
		}
		System.exit(clean ? 0 : 1);
	}

	private void run(Duration time) {
		for (int i = 0; i < (this.manyJvms ? NODES : 1); i++) {
			this.members.add(startMember(i));
		}
		this.members.forEach((member) -> member.await("READY"));
		Map<String, Long> before = this.server.remains();
		say("nodes are ready");
		this.members.forEach(Member::go);
		long end = System.nanoTime() + time.toNanos();
		sleep(FIRST_FAULT.toMillis());
		while (System.nanoTime() - end < 0) {
			disturb(end - System.nanoTime());
			sleep(3000 + this.random.nextInt(5000));
			startReplacements();
		}
		say("the time is over");
		this.members.forEach((member) -> member.await("READY"));
		startReplacements();
		this.members.forEach((member) -> member.jvm.send("stop"));
		this.members.forEach((member) -> member.await("STOPPED"));
		// until then every lease has expired that was not released
		sleep(SoakNode.LEASE.plus(SoakNode.COMMAND_TIMEOUT).multipliedBy(2).toMillis());
		this.members.forEach((member) -> member.jvm.send("measure"));
		this.members.forEach((member) -> member.await("MEASURED"));
		this.members.forEach(this::collect);
		compareServer(before);
		this.members.forEach((member) -> member.jvm.send("close"));
		this.members.forEach((member) -> member.await("CLOSED"));
	}

	private void disturb(long remainingNanos) {
		Member member = this.members.get(this.random.nextInt(this.members.size()));
		int fault = this.random.nextInt(4);
		if (fault < 2 && this.server.kill()) {
			int down = this.random.nextInt(3000);
			sleep(down);
			this.server.start();
			happened("server killed and restarted");
		}
		else if (fault == 2 && this.manyJvms && member.working && remainingNanos > LAST_DEATH.toNanos()) {
			collectFaults(member);
			member.jvm.close();
			this.members.set(this.members.indexOf(member), startMember(member.number));
			happened("node killed and replaced");
		}
		else {
			member.jvm.suspend();
			// sometimes for longer than a lease
			sleep(500 + this.random.nextInt(6000));
			member.jvm.resume();
			happened("node paused");
		}
	}

	private void startReplacements() {
		this.members.stream().filter((member) -> !member.working && member.line("READY") != null).forEach(Member::go);
	}

	private Member startMember(int number) {
		String[] arguments = new String[this.childArguments.length + 1];
		arguments[0] = Integer.toString(number);
		System.arraycopy(this.childArguments, 0, arguments, 1, this.childArguments.length);
		return new Member(number, ChildJvm.start(SoakNode.class, arguments));
	}

	private void happened(String what) {
		say(what);
		this.counts.merge(what, 1L, Long::sum);
	}

	private void collect(Member member) {
		collectFaults(member);
		for (String line : member.jvm.lines()) {
			if (line.startsWith("LEFT ")) {
				this.findings.add("node %s: left: %s".formatted(member.number, line.substring(5)));
			}
			else if (line.startsWith("COUNT ")) {
				String[] parts = line.split(" ", 3);
				this.counts.merge(parts[2], Long.valueOf(parts[1]), Long::sum);
			}
		}
		say("node %s: %s, then %s".formatted(member.number, member.line("READY"), member.line("MEASURED")));
	}

	private void collectFaults(Member member) {
		boolean inFault = false;
		for (String line : member.jvm.lines()) {
			inFault = line.startsWith("FAULT ") || (inFault && line.startsWith(SoakTally.INDENT));
			if (inFault || line.startsWith("FAULTS ")) {
				this.findings.add("node %s: %s".formatted(member.number, line));
			}
		}
	}

	private void compareServer(Map<String, Long> before) {
		Map<String, String> left = new TreeMap<>();
		Map<String, Long> after;
		long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
		do {
			sleep(1000);
			left.clear();
			after = this.server.remains();
			SoakRemains.add(left, "", after, before, 40);
			left.keySet().removeIf((name) -> name.startsWith(SoakServer.COUNTERS));
		}
		while (!left.isEmpty() && System.nanoTime() - end < 0);
		after.forEach((name, count) -> this.counts.merge("server: " + name, count, Long::sum));
		left.forEach((name, values) -> this.findings.add("server: left: %s: %s".formatted(name, values)));
	}

	@SuppressWarnings("SystemOut")
	private boolean report() {
		System.out.println();
		this.counts.forEach((name, count) -> System.out.printf("%12s  %s%n", count, name));
		System.out.println();
		if (this.counts.keySet().stream().noneMatch((name) -> name.startsWith("held "))) {
			this.findings.add("no lock was held in the whole run");
		}
		this.findings.forEach(System.out::println);
		System.out.println(this.findings.isEmpty() ? "Clean: no lock had two owners, every call ended, nothing is left."
				: "NOT CLEAN: see the %s lines above.".formatted(this.findings.size()));
		return this.findings.isEmpty();
	}

	@SuppressWarnings("SystemOut")
	private static void say(String what) {
		System.out.println("  " + what);
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("The soak was interrupted", ex);
		}
	}

	/**
	 * A JVM of the run.
	 */
	private static final class Member {

		private final int number;

		private final ChildJvm jvm;

		private boolean working;

		private Member(int number, ChildJvm jvm) {
			this.number = number;
			this.jvm = jvm;
		}

		private void go() {
			this.jvm.send("go");
			this.working = true;
		}

		private @Nullable String line(String word) {
			return this.jvm.lines().stream().filter((line) -> line.startsWith(word)).findFirst().orElse(null);
		}

		private void await(String word) {
			Awaitility.await("%s of node %s".formatted(word, this.number)).atMost(LONGEST_WAIT).failFast(() -> {
				if (!this.jvm.isAlive() && line(word) == null) {
					throw new IllegalStateException("Node %s ended: %s".formatted(this.number, this.jvm.lines()));
				}
			}).until(() -> line(word) != null);
		}

	}

}
