package io.distributedlock.benchmarks.contention.measure;

import java.util.Locale;

/**
 * Tells on the console how the run goes.
 */
public final class Progress {

	private Progress() {
	}

	@SuppressWarnings({ "SystemOut", "AnnotateFormatMethod" })
	public static void say(String format, Object... arguments) {
		System.out.println(String.format(Locale.ROOT, format, arguments));
	}

}
