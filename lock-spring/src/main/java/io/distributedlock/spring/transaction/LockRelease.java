package io.distributedlock.spring.transaction;

/**
 * When the locks of a method are given back. Internal: public only for the other packages
 * of this module.
 *
 * @param afterTransaction whether they are kept until the end of the transaction that the
 * method was called in
 * @param verifyBeforeCommit whether a transaction is rolled back if the lease was lost
 * before its commit
 */
public record LockRelease(boolean afterTransaction, boolean verifyBeforeCommit) {
}
