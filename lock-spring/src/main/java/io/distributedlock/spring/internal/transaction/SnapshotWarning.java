package io.distributedlock.spring.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Warns once of a method that reads older data than its locks promise: it runs in a
 * transaction that began before them, with {@code REPEATABLE READ}, which shows the data
 * as of its first read. Whether the transaction has read before cannot be seen.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
public final class SnapshotWarning {

	private static final Logger logger = LoggerFactory.getLogger(SnapshotWarning.class);

	private final String method;

	/**
	 * The isolation levels that transactions of callers had: each is looked at once, as
	 * some drivers ask the server for the level of a connection.
	 */
	private final Set<Integer> seen = ConcurrentHashMap.newKeySet();

	/**
	 * Create the warning of a method.
	 * @param method its class and name
	 */
	public SnapshotWarning(String method) {
		this.method = method;
	}

	/**
	 * Look at a call in the transaction of its caller.
	 * @param locks the locks of the call
	 */
	void check(LockHandle locks) {
		Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		int level = (isolation != null) ? isolation : TransactionDefinition.ISOLATION_DEFAULT;
		if (this.seen.contains(level) || isReentry(locks) || !this.seen.add(level)) {
			return;
		}
		boolean repeatable = level == TransactionDefinition.ISOLATION_REPEATABLE_READ
				|| level == TransactionDefinition.ISOLATION_DEFAULT && isDefaultRepeatable()
						&& this.seen.add(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		if (repeatable) {
			logger.warn(
					"{} acquired its lock inside a transaction that began before, with REPEATABLE READ. If that transaction has read anything before the lock, it reads data from then, and may overwrite what the previous owner of the lock wrote. Begin the transaction in the locked method, or use READ COMMITTED. This is said once for each method",
					this.method);
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

	private static boolean isDefaultRepeatable() {
		return OptionalLibraries.JDBC && TransactionSynchronizationManager.getResourceMap()
			.keySet()
			.stream()
			.anyMatch((resource) -> resource instanceof DataSource database && isRepeatable(database));
	}

	/**
	 * Return what the connection of this thread's transaction says.
	 */
	private static boolean isRepeatable(DataSource database) {
		try {
			Connection connection = DataSourceUtils.getConnection(database);
			try {
				return connection.getTransactionIsolation() == Connection.TRANSACTION_REPEATABLE_READ;
			}
			finally {
				DataSourceUtils.releaseConnection(connection, database);
			}
		}
		catch (SQLException | RuntimeException ex) {
			// what the method did is done: its caller gets that, and not this
			logger.debug("The isolation level of a transaction cannot be read", ex);
			return false;
		}
	}

}
