package com.example.shop.report;

import java.util.Set;
import java.util.TreeSet;

/**
 * The application without locks and with a starter.
 *
 * @param without what the application consists of without a starter
 * @param with what it consists of with the starter
 */
public record Comparison(Set<String> without, Set<String> with) {

	/**
	 * Start the application twice.
	 * @param module the module that adds the starter
	 * @param arguments properties of the application
	 * @return both reports
	 */
	public static Comparison of(String module, String... arguments) {
		return new Comparison(ApplicationJvm.withoutLocks().with(arguments).report(),
				ApplicationJvm.of(module).with(arguments).report());
	}

	/**
	 * Return what the application consists of with the starter, except what is declared
	 * by the starter or of one of its classes, and the health of locks, which is a map of
	 * Spring Boot's class.
	 * @return the lines, sorted
	 */
	public Set<String> withExceptLocks() {
		Set<String> lines = new TreeSet<>(this.with);
		lines.removeIf((line) -> line.contains("io.distributedlock.") || line.startsWith("health locks by "));
		return lines;
	}

}
