package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in one run, and how often. Each run draws which faults it has at all:
 * many faults at a time hide each other.
 */
final class SimulatedFaults {

	/**
	 * What becomes of one request to the backend.
	 */
	enum Fate {

		/**
		 * The usual answer, after a moment.
		 */
		ANSWERED,

		/**
		 * Answered before the call returns.
		 */
		AT_ONCE,

		/**
		 * The server gets to it late.
		 */
		LATE_REQUEST,

		/**
		 * The server answers in time, and the answer is under way for long.
		 */
		LATE_ANSWER,

		/**
		 * The server never hears of it, and nobody hears from the server.
		 */
		LOST_REQUEST,

		/**
		 * The server does it, and its answer never comes.
		 */
		LOST_ANSWER,

		/**
		 * The client reports a broken connection; the server has heard of nothing.
		 */
		BROKEN_BEFORE,

		/**
		 * The client reports a broken connection; the server has done it.
		 */
		BROKEN_AFTER,

		/**
		 * As the one before, with a failure that is ready when the call returns.
		 */
		BROKEN_AT_ONCE,

		/**
		 * Somebody has to act first.
		 */
		REFUSED,

		/**
		 * As the one before, with a failure that is ready when the call returns.
		 */
		REFUSED_AT_ONCE,

		/**
		 * Fails with an exception that no contract names.
		 */
		UNEXPECTED,

		/**
		 * Fails with an {@link Error}.
		 */
		ERROR,

		/**
		 * The call throws, and nothing was sent.
		 */
		THROWS,

		/**
		 * The call throws, and the server does what was asked.
		 */
		THROWS_AFTER,

		/**
		 * The call throws an {@link Error}.
		 */
		THROWS_ERROR,

		/**
		 * The call returns {@code null} instead of a stage.
		 */
		NO_STAGE,

		/**
		 * The answer comes twice.
		 */
		TWICE,

		/**
		 * The answer is {@code null}, which nobody may understand as a yes.
		 */
		NO_ANSWER

	}

	private static final long MICROS = 1_000;

	private static final long MILLIS = 1_000_000;

	private static final int USUAL = 10_000;

	private final SimulatedWorld world;

	private final boolean calm;

	private final List<Fate> fates = new ArrayList<>();

	private final List<Integer> weights = new ArrayList<>();

	private int weight;

	private final long longestThreadDelay;

	private final long longestTrip;

	private final int droppedMessages;

	private final int doubledMessages;

	private final int blockedProvider;

	private final int blockedCallbacks;

	private final int hostileObjects;

	private final int lossSignals;

	private final int attemptTimers;

	private final int cuts;

	private final int kills;

	private final int closes;

	private boolean healed;

	/**
	 * Draw what goes wrong.
	 * @param calm whether requests are answered, and nothing but messages goes lost
	 */
	SimulatedFaults(SimulatedWorld world, boolean calm, boolean crowd) {
		this.world = world;
		this.calm = calm;
		add(Fate.ANSWERED, USUAL);
		if (world.chance(300)) {
			add(Fate.AT_ONCE, world.chance(200) ? USUAL * 100 : USUAL / 3);
		}
		for (Fate fate : EnumSet.complementOf(EnumSet.of(Fate.ANSWERED, Fate.AT_ONCE))) {
			if (!calm && world.chance(300)) {
				add(fate, oneOf(20, 100, 400, 2000));
			}
		}
		if (crowd && !calm && world.chance(500)) {
			// what ends at once lets the next one in at once, and so on through the crowd
			add(Fate.REFUSED_AT_ONCE, USUAL * 1000);
		}
		// where nothing is to fail all is answered in time
		this.longestThreadDelay = calm ? 50 * MICROS : MICROS * oneOf(50, 200, 1000, 5000);
		this.longestTrip = Math.min(MICROS * oneOf(100, 1000, 5000, 20_000), calm ? MILLIS : Long.MAX_VALUE);
		this.droppedMessages = oneOf(0, 50, 500, 1000);
		this.doubledMessages = oneOf(0, 0, 100);
		this.blockedProvider = calm ? 0 : oneOf(0, 0, 0, 5, 30);
		this.blockedCallbacks = oneOf(0, 0, 20, 100);
		this.hostileObjects = calm ? 0 : oneOf(0, 0, 0, 10, 50);
		this.lossSignals = calm ? 0 : oneOf(0, 0, 20, 100);
		this.attemptTimers = calm ? 0 : oneOf(0, 0, 1, 3);
		this.cuts = calm ? 0 : oneOf(0, 0, 1, 3);
		this.kills = oneOf(0, 0, 0, 1);
		this.closes = oneOf(0, 0, 0, 1);
	}

	boolean isCalm() {
		return this.calm;
	}

	/**
	 * Let nothing fail any more.
	 */
	void heal() {
		this.healed = true;
	}

	Fate fate() {
		if (this.healed) {
			return Fate.ANSWERED;
		}
		int drawn = (int) this.world.random(this.weight);
		int i = 0;
		while (drawn >= this.weights.get(i)) {
			drawn -= this.weights.get(i);
			i++;
		}
		return this.fates.get(i);
	}

	/**
	 * Return how late a thread starts to run what it was given.
	 */
	long threadDelay() {
		return 500 + this.world.random(
				(this.world.random(8) == 0) ? this.longestThreadDelay : Math.min(20 * MICROS, this.longestThreadDelay));
	}

	/**
	 * Return how much later than promised something may be, for the threads it passes.
	 */
	long slack() {
		return 12 * (this.longestThreadDelay + 50 * MICROS);
	}

	/**
	 * Return how long a message travels from a node to the server or back.
	 */
	long trip() {
		return 10 * MICROS + this.world.random(this.longestTrip);
	}

	long longestTrip() {
		return this.longestTrip + 10 * MICROS;
	}

	/**
	 * Return how long a request and its answer take at most where all is answered in
	 * time.
	 */
	long roundTrip() {
		return 2 * (longestTrip() + this.longestThreadDelay);
	}

	boolean dropsMessage() {
		return this.world.chance(this.droppedMessages);
	}

	boolean doublesMessage() {
		return this.world.chance(this.doubledMessages);
	}

	boolean mayBlockProvider() {
		return !this.healed && this.world.chance(this.blockedProvider);
	}

	boolean mayBlockCallback() {
		return this.world.chance(this.blockedCallbacks);
	}

	/**
	 * Return whether an object of the provider misbehaves at this call.
	 */
	boolean isHostile() {
		return !this.healed && this.world.chance(this.hostileObjects);
	}

	boolean signalsLoss() {
		return !this.healed && this.world.chance(this.lossSignals);
	}

	int attemptTimers() {
		return this.attemptTimers;
	}

	int cuts() {
		return this.cuts;
	}

	int kills() {
		return this.kills;
	}

	int closes() {
		return this.closes;
	}

	int oneOf(int... choices) {
		return choices[(int) this.world.random(choices.length)];
	}

	static void throwError(@Nullable String what) {
		throw new SimulatedError("simulated: " + what);
	}

	private void add(Fate fate, int share) {
		this.fates.add(fate);
		this.weights.add(share);
		this.weight += share;
	}

	static long millis(long millis) {
		return millis * MILLIS;
	}

	/**
	 * An {@link Error} such as a class that cannot be loaded, without the cost of a stack
	 * trace.
	 */
	static final class SimulatedError extends Error {

		private static final long serialVersionUID = 1L;

		SimulatedError(String message) {
			super(message, null, false, false);
		}

	}

	/**
	 * An exception that no contract names.
	 */
	static final class SimulatedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		SimulatedException(String message) {
			super(message, null, false, false);
		}

	}

}
