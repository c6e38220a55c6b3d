package io.distributedlock.spring.internal.transaction;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Warns once of a method that may read older data than its locks promise: it runs in a
 * transaction that began before them, with {@code REPEATABLE READ}, which shows the data
 * as of its first read. Whether the transaction has read before cannot be seen.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
public final class SnapshotWarning {

	private static final Logger logger = LoggerFactory.getLogger(SnapshotWarning.class);

	private final Method method;

	private final boolean repeatableByDefault;

	private final AtomicBoolean told = new AtomicBoolean();

	/**
	 * Create the warning of a method.
	 * @param method the method
	 * @param repeatableByDefault whether a transaction has this level that asks for none
	 */
	public SnapshotWarning(Method method, boolean repeatableByDefault) {
		this.method = method;
		this.repeatableByDefault = repeatableByDefault;
	}

	/**
	 * Look at a call in the transaction of its caller.
	 * @param locks the locks of the call
	 */
	void check(LockHandle locks) {
		Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		boolean repeatable = (isolation != null) ? isolation == TransactionDefinition.ISOLATION_REPEATABLE_READ
				: this.repeatableByDefault;
		if (repeatable && !this.told.get() && !isReentry(locks) && this.told.compareAndSet(false, true)) {
			logger.warn(
					"{} acquired its lock inside a transaction that began before, with REPEATABLE READ. If that transaction has read anything before the lock, the method reads data from then, and an update may be lost. Begin the transaction in the locked method, or read with 'select ... for update'. This is said once for each method",
					this.method.getDeclaringClass().getSimpleName() + "." + this.method.getName());
		}
	}

	/**
	 * Return whether the caller held one of the locks already, perhaps since before its
	 * transaction began.
	 */
	private static boolean isReentry(LockHandle locks) {
		Set<String> keys = keys(locks);
		return LockContext.capture()
			.innermost((held) -> held != locks && keys(held).stream().anyMatch(keys::contains))
			.isPresent();
	}

	private static Set<String> keys(LockHandle locks) {
		return locks.parts()
			.stream()
			.map((each) -> each.provider() + " " + each.key())
			.collect(Collectors.toUnmodifiableSet());
	}

}
