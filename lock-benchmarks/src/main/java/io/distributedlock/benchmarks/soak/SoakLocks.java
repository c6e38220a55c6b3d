package io.distributedlock.benchmarks.soak;

import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.spi.LockProvider;

/**
 * The hot locks of a run: a few of each kind that the provider grants. Every node has the
 * same ones, in the same order.
 *
 * @param locks the locks; their place in the list is their number in the ledger
 */
record SoakLocks(List<HotLock> locks) {

	static final int PERMITS = 3;

	private static final int OF_EACH_KIND = 4;

	static SoakLocks of(LockProvider provider) {
		return new SoakLocks(IntStream.range(0, Kind.values().length * OF_EACH_KIND)
			.mapToObj((i) -> new HotLock(i, Kind.values()[i / OF_EACH_KIND]))
			.filter((lock) -> lock.kind.isGrantedBy(provider))
			.toList());
	}

	static int highestCount() {
		return Kind.values().length * OF_EACH_KIND;
	}

	/**
	 * What locks of one key have in common.
	 */
	enum Kind {

		EXCLUSIVE(LockType.EXCLUSIVE), FAIR(LockType.FAIR), READ_WRITE(LockType.WRITE), SEMAPHORE(LockType.SEMAPHORE);

		private final LockType type;

		Kind(LockType type) {
			this.type = type;
		}

		private boolean isGrantedBy(LockProvider provider) {
			return this.type.requiredCapability() == null
					|| provider.capabilities().contains(this.type.requiredCapability());
		}

	}

	/**
	 * A lock that everybody wants.
	 *
	 * @param number its number in the ledger
	 * @param kind what kind it is
	 */
	record HotLock(int number, Kind kind) {

		LockRequest request(boolean shared) {
			LockRequest request = LockRequest.of("hot" + this.number);
			return switch (this.kind) {
				case EXCLUSIVE -> request;
				case FAIR -> request.withType(LockType.FAIR);
				case READ_WRITE -> request.withType(shared ? LockType.READ : LockType.WRITE);
				case SEMAPHORE -> request.withPermits(PERMITS);
			};
		}

		int permits() {
			return (this.kind == Kind.SEMAPHORE) ? PERMITS : 1;
		}

	}

}
