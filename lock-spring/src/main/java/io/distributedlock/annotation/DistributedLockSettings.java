package io.distributedlock.annotation;

/**
 * What applies to all annotated methods of an application.
 *
 * @param beanReferences whether expressions may refer to beans
 * @param onContention what {@link OnContention#DEFAULT} means
 * @param release what {@link ReleaseTime#DEFAULT} means
 * @param verifyBeforeCommit whether a transaction is rolled back if a lock that it
 * depends on was lost before the commit
 * @param requireName whether the application does not start if an annotated method has
 * neither a name nor an exact key
 * @param repeatableRead whether transactions read what they saw first, unless they ask
 * for another isolation level: a method that may read older data than its lock is warned
 * of
 * @since 0.1
 */
public record DistributedLockSettings(boolean beanReferences, OnContention onContention, ReleaseTime release,
		boolean verifyBeforeCommit, boolean requireName, boolean repeatableRead) {

	/**
	 * Expressions may not refer to beans. On contention a call fails with an exception.
	 * The lock is released after the caller's transaction, and checked before its commit.
	 * No name is required. Transactions read what is committed.
	 */
	public static final DistributedLockSettings DEFAULTS = new DistributedLockSettings(false, OnContention.THROW,
			ReleaseTime.AFTER_TRANSACTION, true, false, false);

}
