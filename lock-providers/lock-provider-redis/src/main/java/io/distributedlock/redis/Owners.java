package io.distributedlock.redis;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes owners: 128 random bits, so that no two attempts of any node are taken for one.
 */
final class Owners {

	private Owners() {
	}

	static String next() {
		// need not be unguessable: who may read the key may delete it too
		ThreadLocalRandom random = ThreadLocalRandom.current();
		return Long.toHexString(random.nextLong()) + '-' + Long.toHexString(random.nextLong());
	}

}
