package io.distributedlock.spring;

import io.distributedlock.annotation.ReleaseTime;

/**
 * When the locks of a method are given back.
 *
 * @param afterTransaction whether they are kept until the end of the transaction that the
 * method was called in
 * @param verifyBeforeCommit whether a transaction is rolled back if the lease was lost
 * before its commit
 */
record LockRelease(boolean afterTransaction, boolean verifyBeforeCommit) {

	static LockRelease of(LockAttributes attributes, DistributedLockSettings settings) {
		ReleaseTime chosen = attributes.choice("release", ReleaseTime.class);
		ReleaseTime effective = (chosen != ReleaseTime.DEFAULT) ? chosen : settings.release();
		return new LockRelease(OptionalLibraries.TRANSACTIONS && effective != ReleaseTime.AFTER_METHOD,
				OptionalLibraries.TRANSACTIONS && settings.verifyBeforeCommit());
	}

}
