package io.distributedlock.engine;

/**
 * Makes a nearly full stack overflow before the engine begins a step, and not in the
 * middle of one.
 */
final class StackReserve {

	/**
	 * Deeper than any path of the engine.
	 */
	private static final int FRAMES = 128;

	/**
	 * Deeper than a step that changes only what this object and its thread know.
	 */
	private static final int FRAMES_OF_SMALL_STEP = 12;

	private StackReserve() {
	}

	/**
	 * Make sure that the stack has room for the engine's own calls.
	 * @throws StackOverflowError if it has not
	 */
	static void require() {
		require(FRAMES);
	}

	/**
	 * Make sure that the stack has room for a step that calls neither a provider nor
	 * anybody who waits.
	 * @throws StackOverflowError if it has not
	 */
	static void requireForSmallStep() {
		require(FRAMES_OF_SMALL_STEP);
	}

	private static void require(int frames) {
		if (descend(frames, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 0) {
			throw new IllegalStateException("The depth of a stack cannot be zero");
		}
	}

	/**
	 * Call itself. It has so many parameters, all of which are needed after the inner
	 * call, that its frame is as large as those of the engine even when it is compiled.
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
