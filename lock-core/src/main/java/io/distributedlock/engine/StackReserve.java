package io.distributedlock.engine;

/**
 * Makes a nearly full stack overflow before the engine begins a step, and not in the
 * middle of one.
 */
final class StackReserve {

	/**
	 * Together deeper than any path of the engine: 18 kB when they are compiled, 35 kB
	 * when they are interpreted.
	 */
	private static final int FRAMES = 32;

	/**
	 * Deeper than a step that changes only what this object and its thread know.
	 */
	private static final int FRAMES_OF_SMALL_STEP = 4;

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
		if (descend(frames, frames) == 0) {
			throw new IllegalStateException("The depth of a stack cannot be zero");
		}
	}

	/**
	 * Call itself. Each frame has room for 64 values, also when it is compiled, since all
	 * of them are needed after the inner call. Only the first frame makes use of that
	 * room, and so each of the others costs no more than a call.
	 */
	private static long descend(int frames, long seed) {
		if (frames == 0) {
			return 1;
		}
		if (frames != FRAMES) {
			return descend(frames - 1, seed) | 1;
		}
		long a0 = seed * 3, a1 = seed * 5, a2 = seed * 7, a3 = seed * 9, a4 = seed * 11, a5 = seed * 13, a6 = seed * 15,
				a7 = seed * 17;
		long b0 = seed * 19, b1 = seed * 21, b2 = seed * 23, b3 = seed * 25, b4 = seed * 27, b5 = seed * 29,
				b6 = seed * 31, b7 = seed * 33;
		long c0 = seed * 35, c1 = seed * 37, c2 = seed * 39, c3 = seed * 41, c4 = seed * 43, c5 = seed * 45,
				c6 = seed * 47, c7 = seed * 49;
		long d0 = seed * 51, d1 = seed * 53, d2 = seed * 55, d3 = seed * 57, d4 = seed * 59, d5 = seed * 61,
				d6 = seed * 63, d7 = seed * 65;
		long e0 = seed * 67, e1 = seed * 69, e2 = seed * 71, e3 = seed * 73, e4 = seed * 75, e5 = seed * 77,
				e6 = seed * 79, e7 = seed * 81;
		long f0 = seed * 83, f1 = seed * 85, f2 = seed * 87, f3 = seed * 89, f4 = seed * 91, f5 = seed * 93,
				f6 = seed * 95, f7 = seed * 97;
		long g0 = seed * 99, g1 = seed * 101, g2 = seed * 103, g3 = seed * 105, g4 = seed * 107, g5 = seed * 109,
				g6 = seed * 111, g7 = seed * 113;
		long h0 = seed * 115, h1 = seed * 117, h2 = seed * 119, h3 = seed * 121, h4 = seed * 123, h5 = seed * 125,
				h6 = seed * 127, h7 = seed * 129;
		long deeper = descend(frames - 1, seed);
		return (deeper ^ a0 ^ a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7 ^ b0 ^ b1 ^ b2 ^ b3 ^ b4 ^ b5 ^ b6 ^ b7 ^ c0 ^ c1 ^ c2
				^ c3 ^ c4 ^ c5 ^ c6 ^ c7 ^ d0 ^ d1 ^ d2 ^ d3 ^ d4 ^ d5 ^ d6 ^ d7 ^ e0 ^ e1 ^ e2 ^ e3 ^ e4 ^ e5 ^ e6 ^ e7
				^ f0 ^ f1 ^ f2 ^ f3 ^ f4 ^ f5 ^ f6 ^ f7 ^ g0 ^ g1 ^ g2 ^ g3 ^ g4 ^ g5 ^ g6 ^ g7 ^ h0 ^ h1 ^ h2 ^ h3 ^ h4
				^ h5 ^ h6 ^ h7) | 1;
	}

}
