package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.spi.LockProvider;

/**
 * The hot locks of a run: a few of each type that the provider supports. Every node has
 * the same ones.
 *
 * @param locks the hot locks
 */
record SoakLocks(List<HotLock> locks) {

	static final int PERMITS = 3;

	private static final int OF_EACH_TYPE = 4;

	static SoakLocks of(LockProvider provider) {
		return new SoakLocks(IntStream.range(0, HotType.values().length * OF_EACH_TYPE)
			.mapToObj((i) -> new HotLock(i, HotType.values()[i / OF_EACH_TYPE]))
			.filter((lock) -> lock.type.isSupportedBy(provider))
			.toList());
	}

	static int count() {
		return HotType.values().length * OF_EACH_TYPE;
	}

	/**
	 * The lock types of one hot lock. Readers and writers share a hot lock.
	 */
	enum HotType {

		EXCLUSIVE(LockType.EXCLUSIVE), FAIR(LockType.FAIR), READ_WRITE(LockType.WRITE), SEMAPHORE(LockType.SEMAPHORE);

		private final LockType type;

		HotType(LockType type) {
			this.type = type;
		}

		private boolean isSupportedBy(LockProvider provider) {
			return this.type.requiredCapability() == null
					|| provider.capabilities().contains(this.type.requiredCapability());
		}

	}

	/**
	 * A lock for which all workers contend.
	 *
	 * @param number its number in the ledger
	 * @param type its lock types
	 */
	record HotLock(int number, HotType type) {

		LockRequest request(boolean shared) {
			LockRequest request = LockRequest.of("hot" + this.number);
			return switch (this.type) {
				case EXCLUSIVE -> request;
				case FAIR -> request.withType(LockType.FAIR);
				case READ_WRITE -> request.withType(shared ? LockType.READ : LockType.WRITE);
				case SEMAPHORE -> request.withPermits(PERMITS);
			};
		}

		int permits() {
			return (this.type == HotType.SEMAPHORE) ? PERMITS : 1;
		}

	}

}
