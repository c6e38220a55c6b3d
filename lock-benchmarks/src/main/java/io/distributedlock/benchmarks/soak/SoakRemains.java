package io.distributedlock.benchmarks.soak;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What is in a JVM: its heap, its threads, and the live objects of this library, as
 * {@code jcmd GC.class_histogram} counts them. A comparison of two instances finds leaks.
 *
 * @param heapMegabytes the heap in use after a garbage collection
 * @param threads the number of threads by their name without its number
 * @param objects the number of live objects by their class; those of nested classes count
 * for the outer class
 */
record SoakRemains(long heapMegabytes, Map<String, Long> threads, Map<String, Long> objects) {

	private static final String LIBRARY = "io.distributedlock.";

	private static final String SOAK = SoakRemains.class.getPackageName();

	/**
	 * Not a leak: some objects may be in use when they are counted.
	 */
	private static final long MORE_OBJECTS = 40;

	private static final long MORE_THREADS = 4;

	private static final long MORE_MEGABYTES = 24;

	static SoakRemains now() {
		Map<String, Long> objects = new TreeMap<>();
		for (String line : histogram().split("\n", -1)) {
			// number: instances bytes class
			String[] columns = line.trim().split("\\s+", -1);
			if (columns.length >= 4 && columns[3].startsWith(LIBRARY) && !columns[3].startsWith(SOAK)) {
				String outer = columns[3].split("\\$", -1)[0];
				objects.merge(outer, Long.valueOf(columns[1]), Long::sum);
			}
		}
		Map<String, Long> threads = new TreeMap<>();
		Thread.getAllStackTraces()
			.keySet()
			.forEach((thread) -> threads.merge(thread.getName().replaceAll("[-\\d]+$", ""), 1L, Long::sum));
		long bytes = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
		return new SoakRemains(bytes >> 20, threads, objects);
	}

	/**
	 * Return the numbers that are clearly higher than before, by their names.
	 */
	Map<String, String> beyond(SoakRemains before) {
		Map<String, String> more = new TreeMap<>();
		if (this.heapMegabytes > before.heapMegabytes + MORE_MEGABYTES) {
			more.put("heap", "%s MB, was %s MB".formatted(this.heapMegabytes, before.heapMegabytes));
		}
		add(more, "threads ", this.threads, before.threads, MORE_THREADS);
		add(more, "objects ", this.objects, before.objects, MORE_OBJECTS);
		return more;
	}

	static void add(Map<String, String> more, String what, Map<String, Long> after, Map<String, Long> before,
			long allowed) {
		after.forEach((name, count) -> {
			long was = before.getOrDefault(name, 0L);
			if (count > was + allowed) {
				more.put(what + name, "%s, were %s".formatted(count, was));
			}
		});
	}

	@Override
	public String toString() {
		return "%s MB, %s threads, %s objects of the library".formatted(this.heapMegabytes, sum(this.threads),
				sum(this.objects));
	}

	private static long sum(Map<String, Long> counts) {
		return counts.values().stream().mapToLong(Long::longValue).sum();
	}

	private static String histogram() {
		try {
			return (String) ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, new String[] { String[].class.getName() });
		}
		catch (JMException ex) {
			throw new IllegalStateException("This JVM cannot count its live objects", ex);
		}
	}

}
