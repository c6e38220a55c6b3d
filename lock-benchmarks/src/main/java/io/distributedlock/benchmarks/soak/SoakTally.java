package io.distributedlock.benchmarks.soak;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;

/**
 * How often what has happened on a node, and what should not have.
 */
final class SoakTally {

	/**
	 * How a line begins that belongs to the one before.
	 */
	static final String INDENT = "      ";

	private static final int PRINTED = 2;

	private static final int LINES = 12;

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	private final Map<String, LongAdder> faults = new ConcurrentHashMap<>();

	void count(String what) {
		this.counts.computeIfAbsent(what, (ignored) -> new LongAdder()).increment();
	}

	void count(LockException ex) {
		String reason = (ex instanceof LockNotAcquiredException refused) ? " " + refused.getReason() : "";
		count(ex.getClass().getSimpleName() + reason);
	}

	/**
	 * Take note of what no call may throw.
	 */
	void unexpected(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		fault("unexpected " + failure.getClass().getName(), text.toString());
	}

	/**
	 * Take note of a broken promise, and print the first ones of its kind.
	 */
	@SuppressWarnings("SystemOut")
	void fault(String kind, String description) {
		LongAdder count = this.faults.computeIfAbsent(kind, (ignored) -> new LongAdder());
		count.increment();
		if (count.sum() <= PRINTED) {
			String text = description.lines().limit(LINES).collect(Collectors.joining("\n" + INDENT));
			System.out.println("FAULT " + kind + ": " + text);
		}
	}

	Map<String, Long> counts() {
		return sums(this.counts);
	}

	Map<String, Long> faults() {
		return sums(this.faults);
	}

	private static Map<String, Long> sums(Map<String, LongAdder> counts) {
		Map<String, Long> sums = new TreeMap<>();
		counts.forEach((name, count) -> sums.put(name, count.sum()));
		return sums;
	}

}
