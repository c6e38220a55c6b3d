package io.distributedlock.spring.internal.transaction;

/**
 * What the locks of a method have to do with transactions.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 *
 * @param afterTransaction whether they are kept until the end of the transaction that the
 * method was called in
 * @param verifyBeforeCommit whether a transaction is rolled back if the locks were lost
 * before its commit
 * @param snapshots warns if what the method reads may be older than its locks
 */
public record TransactionRules(boolean afterTransaction, boolean verifyBeforeCommit, SnapshotWarning snapshots) {
}
