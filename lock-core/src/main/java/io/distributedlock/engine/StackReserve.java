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
		if (descend(FRAMES, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 0) {
			throw new IllegalStateException("The depth of a stack cannot be zero");
		}
	}

	/**
	 * Has as many parameters as make its frame as large as those of the engine also when
	 * it is compiled: each is needed once more after the call.
	 */
	private static long descend(int frames, long a, long b, long c, long d, long e, long f, long g, long h, long i,
			long j, long k, long l) {
		if (frames == 0) {
			return 1;
		}
		long deeper = descend(frames - 1, b, c, d, e, f, g, h, i, j, k, l, a);
		return (deeper ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l) | 1;
	}

}
