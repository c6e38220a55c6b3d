package io.distributedlock.application;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.distributedlock.test.process.ChildJvm;

/**
 * Nodes that compete for one lock, each in a JVM of its own.
 */
final class Crowd {

	private final String url;

	private final String key;

	private final Duration interval;

	private final Path folder;

	private final List<Group> groups = new ArrayList<>();

	/**
	 * Create a crowd without nodes.
	 * @param url the address of the server
	 * @param key the full key
	 * @param interval how often old nodes ask
	 * @param folder where the number is
	 */
	Crowd(String url, String key, Duration interval, Path folder) {
		this.url = url;
		this.key = key;
		this.interval = interval;
		this.folder = folder;
	}

	Crowd with(int nodes, int threads, String kind) {
		this.groups.add(new Group(kind, nodes, threads));
		return this;
	}

	/**
	 * Let all nodes work at the same time, until each has had the lock more than ten
	 * times.
	 * @param atLeast how long they work even if they had it more often
	 */
	Outcome work(Duration atLeast) throws IOException {
		Path number = Files.write(this.folder.resolve("number"), new byte[Long.BYTES]);
		List<List<ChildJvm>> nodes = new ArrayList<>();
		try {
			for (Group group : this.groups) {
				List<ChildJvm> started = new ArrayList<>();
				nodes.add(started);
				for (int i = 0; i < group.nodes; i++) {
					started.add(ChildJvm.start(Node.class, group.kind, this.url, this.key,
							Long.toString(this.interval.toMillis()), Integer.toString(group.threads),
							number.toString()));
				}
			}
			nodes.forEach((group) -> group.forEach((node) -> node.awaitLine("READY")));
			nodes.forEach((group) -> group.forEach((node) -> node.send(Long.toString(atLeast.toMillis()))));
			nodes.forEach((group) -> group.forEach((node) -> node.awaitLine("ENOUGH")));
			nodes.forEach((group) -> group.forEach((node) -> node.send("STOP")));
			List<Share> shares = nodes.stream().map(Crowd::share).toList();
			return new Outcome(shares, ByteBuffer.wrap(Files.readAllBytes(number)).getLong());
		}
		finally {
			nodes.forEach((group) -> group.forEach(ChildJvm::close));
		}
	}

	private static Share share(List<ChildJvm> group) {
		long increments = 0;
		List<Duration> longestWaits = new ArrayList<>();
		List<Duration> longestAbsences = new ArrayList<>();
		int failures = 0;
		for (ChildJvm node : group) {
			String[] words = node.awaitLine("DONE").split(" ", -1);
			increments += Long.parseLong(words[1]);
			longestWaits.add(Duration.ofMillis(Long.parseLong(words[2])));
			longestAbsences.add(Duration.ofMillis(Long.parseLong(words[3])));
			failures += Integer.parseInt(words[4]);
		}
		return new Share(increments, longestWaits, longestAbsences, failures);
	}

	/**
	 * Nodes of one kind.
	 */
	private record Group(String kind, int nodes, int threads) {
	}

	/**
	 * What the nodes of one kind did together.
	 *
	 * @param longestWaits the longest wait of a call of each node
	 * @param longestAbsences the longest time for which each node did not have the lock
	 */
	record Share(long increments, List<Duration> longestWaits, List<Duration> longestAbsences, int failures) {

		Duration longestWait() {
			return Collections.max(this.longestWaits);
		}

		/**
		 * Return for how long a node was kept out. Its threads may keep each other out
		 * for longer, before they ask the server, and so may nodes that poll: this is the
		 * node that was kept out least.
		 */
		Duration longestAbsenceOfBest() {
			return Collections.min(this.longestAbsences);
		}

	}

	/**
	 * What came of it.
	 *
	 * @param shares what the nodes of each kind did
	 * @param number the number in the end
	 */
	record Outcome(List<Share> shares, long number) {

		long lost() {
			return this.shares.stream().mapToLong(Share::increments).sum() - this.number;
		}

	}

}
