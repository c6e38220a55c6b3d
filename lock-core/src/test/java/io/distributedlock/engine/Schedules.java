package io.distributedlock.engine;

import java.util.stream.Stream;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

/**
 * Runs operations on threads of their own under one schedule after the other: a switch of
 * threads comes before each read and write of what they share. The collections of the JDK
 * are taken to be correct.
 */
public final class Schedules {

	private static final String[] CORRECT = { "java.util.concurrent.ConcurrentHashMap",
			"java.util.concurrent.ConcurrentHashMap$KeySetView", "java.util.concurrent.ConcurrentLinkedQueue",
			"java.util.concurrent.CopyOnWriteArrayList" };

	private static final String[] BELOW = Stream
		.concat(Stream.of(CORRECT), Stream.of("java.util.concurrent.CompletableFuture",
				"io.distributedlock.LockContext", "io.distributedlock.engine.internal.runtime.Timers",
				"io.distributedlock.engine.internal.runtime.Timers$Timer",
				"io.distributedlock.engine.internal.runtime.ProviderCalls",
				"io.distributedlock.engine.internal.lease.LeaseClock",
				"io.distributedlock.engine.internal.lease.LeaseReleaser$ReleaseOfHold",
				"io.distributedlock.engine.LockTemplateBuilder", "io.distributedlock.engine.DefaultLockTemplate"))
		.toArray(String[]::new);

	private Schedules() {
	}

	/**
	 * Look for a schedule that breaks a promise.
	 * @param operations a public class whose public methods are operations, each run once
	 * and by a thread of its own; what it validates must hold after each schedule
	 * @param threads as many as there are operations
	 * @param schedules how many schedules to try
	 */
	public static void explore(Class<?> operations, int threads, int schedules) {
		explore(operations, threads, schedules, CORRECT);
	}

	/**
	 * As {@link #explore}, for a piece that is built of others which have tests of their
	 * own: a call of those is one step.
	 */
	static void exploreAbove(Class<?> operations, int threads, int schedules) {
		explore(operations, threads, schedules, BELOW);
	}

	private static void explore(Class<?> operations, int threads, int schedules, String... steps) {
		new ModelCheckingOptions().threads(threads)
			.actorsPerThread(1)
			.actorsBefore(0)
			.actorsAfter(0)
			.iterations(1)
			.invocationsPerIteration(schedules)
			.minimizeFailedScenario(false)
			.addGuarantee(forClasses(steps).allMethods().treatAsAtomic())
			// shares nothing with other threads
			.addGuarantee(forClasses("io.distributedlock.engine.internal.request.LockErrors",
					"io.distributedlock.engine.internal.runtime.LockTimes",
					"io.distributedlock.engine.internal.handle.HandleLeaks", "org.slf4j.simple.SimpleLogger",
					"org.slf4j.helpers.LegacyAbstractLogger", "org.slf4j.helpers.AbstractLogger")
				.allMethods()
				.ignore())
			.check(operations);
	}

}
