/**
 * The locks of calls and Spring's transactions: who releases the locks, the call or the
 * transaction that it was made in, and which commits depend on them. Only
 * {@code CallLocks} and {@code TransactionRules} may be touched where spring-tx is
 * absent.
 * <p>
 * Covered by {@code TransactionReleaseTests}, {@code LostLockTransactionTests} and
 * {@code ReactiveTransactionTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.transaction;

import org.jspecify.annotations.NullMarked;
