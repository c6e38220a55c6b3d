package io.distributedlock.test;

/**
 * Where the random cases start from: anew in each run, unless {@code -Dlock.kit.seed}
 * says otherwise.
 */
final class KitSeed {

	private KitSeed() {
	}

	static long next() {
		Long fixed = Long.getLong("lock.kit.seed");
		return (fixed != null) ? fixed : System.nanoTime();
	}

}
