package io.distributedlock.test;

/**
 * The seed of the random cases: a new one in each run, or the one that
 * {@code -Dlock.kit.seed} sets to repeat a run.
 */
final class KitSeed {

	private KitSeed() {
	}

	static long next() {
		Long fixed = Long.getLong("lock.kit.seed");
		return (fixed != null) ? fixed : System.nanoTime();
	}

}
