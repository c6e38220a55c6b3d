package io.distributedlock.spring.internal.invocation;

import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.spring.internal.transaction.TransactionRules;

/**
 * The rules for the calls of a method, from its annotations.
 *
 * @param contention what to do when others hold the locks
 * @param onUnavailable what to do when the backend fails
 * @param onLost what to do when a lease ends while the method runs
 * @param transaction what the locks have to do with transactions
 * @param handleParameter the index of the parameter that takes the handle, -1 for none
 * @param asynchronous whether {@code @Async} gives the call a thread of its own, which
 * waits for its future
 */
public record CallRules(ContentionPolicy contention, OnUnavailable onUnavailable, OnLost onLost,
		TransactionRules transaction, int handleParameter, boolean asynchronous) {
}
