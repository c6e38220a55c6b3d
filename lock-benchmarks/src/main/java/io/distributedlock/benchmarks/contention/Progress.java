package io.distributedlock.benchmarks.contention;

import java.util.Locale;

/**
 * Tells on the console how the run goes.
 */
final class Progress {

	private Progress() {
	}

	@SuppressWarnings({ "SystemOut", "AnnotateFormatMethod" })
	static void say(String format, Object... arguments) {
		System.out.println(String.format(Locale.ROOT, format, arguments));
	}

}
