package io.distributedlock.engine;

/**
 * Makes a stack that is nearly full overflow before anything is taken, and not between
 * two steps that belong together.
 */
final class StackReserve {

	/**
	 * More calls than any path of the engine is deep.
	 */
	private static final int FRAMES = 128;

	private StackReserve() {
	}

	/**
	 * Make sure that there is room for the engine's own calls.
	 * @throws StackOverflowError if there is not
	 */
	static void require() {
		if (descend(FRAMES) < 0) {
			throw new IllegalStateException("The depth of a stack cannot be negative");
		}
	}

	private static long descend(int frames) {
		return (frames == 0) ? 0 : 1 + descend(frames - 1);
	}

}
