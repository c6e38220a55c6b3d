package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StackReserveTests {

	private static final int STACK = 1024 * 1024;

	private static final int OTHER_STACK = 3 * STACK;

	/**
	 * Often enough that the JIT compiler has compiled what is measured.
	 */
	private static final int WARM_UP = 30_000;

	@Test
	void isLargeAlsoWhenItIsCompiled() throws InterruptedException {
		for (int i = 0; i < WARM_UP; i++) {
			StackReserve.require();
			descend(10, StackReserveTests::nothing);
		}
		assertThat(reserveBytes()).isBetween(12_000L, 60_000L);
	}

	/**
	 * Return how much more of a stack is free where a reserve is found than where the
	 * stack ends.
	 */
	private static long reserveBytes() throws InterruptedException {
		while (true) {
			long deepest = deepest(STACK, StackReserveTests::nothing);
			long deepestOfOther = deepest(OTHER_STACK, StackReserveTests::nothing);
			long reserved = deepest - deepest(STACK, StackReserve::require);
			// otherwise the JIT compiler has just changed the frames that are counted
			if (deepest < deepestOfOther && deepest == deepest(STACK, StackReserveTests::nothing)) {
				return reserved * ((OTHER_STACK - STACK) / (deepestOfOther - deepest));
			}
		}
	}

	private static long deepest(int stackBytes, Runnable step) throws InterruptedException {
		AtomicLong found = new AtomicLong();
		Thread thread = new Thread(null, () -> found.set(deepest(step)), "stack", stackBytes);
		thread.start();
		thread.join();
		return found.get();
	}

	private static long deepest(Runnable step) {
		long fits = 0;
		long fitsNot = OTHER_STACK / 8;
		while (fitsNot - fits > 1) {
			long middle = (fits + fitsNot) / 2;
			if (fits(middle, step)) {
				fits = middle;
			}
			else {
				fitsNot = middle;
			}
		}
		return fits;
	}

	private static boolean fits(long depth, Runnable step) {
		try {
			return descend(depth, step) > 0;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

	private static long descend(long depth, Runnable step) {
		if (depth == 0) {
			step.run();
			return 1;
		}
		return descend(depth - 1, step) + 1;
	}

	private static void nothing() {
		// what fits without any reserve
	}

}
