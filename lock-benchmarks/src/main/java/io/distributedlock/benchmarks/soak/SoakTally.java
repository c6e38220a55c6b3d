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
import io.distributedlock.spi.support.Failures;

/**
 * Counts what happens on a node, and the faults: what must not happen.
 */
final class SoakTally {

	/**
	 * The beginning of a line that continues the one before.
	 */
	static final String INDENT = "      ";

	private static final int PRINTED = 2;

	private static final int LINES = 12;

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	private final Map<String, LongAdder> faults = new ConcurrentHashMap<>();

	void count(String what) {
		this.counts.computeIfAbsent(what, (ignored) -> new LongAdder()).increment();
	}

	/**
	 * Count the failure of a call. Only a {@link LockException} is expected; any other
	 * failure is a fault.
	 * @param failure the failure, or the exception of a future around it
	 */
	void failed(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof LockException expected) {
			String reason = (expected instanceof LockNotAcquiredException refused) ? " " + refused.getReason() : "";
			count(expected.getClass().getSimpleName() + reason);
			return;
		}
		StringWriter text = new StringWriter();
		cause.printStackTrace(new PrintWriter(text));
		fault("unexpected " + cause.getClass().getName(), text.toString());
	}

	/**
	 * Count a fault, and print the first ones of each type.
	 */
	@SuppressWarnings("SystemOut")
	void fault(String type, String description) {
		LongAdder count = this.faults.computeIfAbsent(type, (ignored) -> new LongAdder());
		count.increment();
		if (count.sum() <= PRINTED) {
			String text = description.lines().limit(LINES).collect(Collectors.joining("\n" + INDENT));
			System.out.println("FAULT " + type + ": " + text);
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
