package io.distributedlock.jdbc;

import io.distributedlock.test.server.MySqlFamilyServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A MySQL for a test class. A machine without MySQL skips only the cases that ask for it.
 */
public final class MySqlOnDemand implements BeforeAllCallback, AfterAllCallback {

	private MySqlFamilyServer server;

	private RuntimeException missing;

	/**
	 * Start the server before the first case, whose time would not be enough to unpack
	 * it.
	 */
	@Override
	public void beforeAll(ExtensionContext context) {
		if (isNested(context)) {
			return;
		}
		try {
			this.server = Databases.run(JdbcDialect.MYSQL);
		}
		catch (RuntimeException ex) {
			// the cases that ask for it are skipped, or fail
			this.missing = ex;
		}
	}

	public MySqlFamilyServer get() {
		if (this.server == null) {
			throw this.missing;
		}
		return this.server;
	}

	@Override
	public void afterAll(ExtensionContext context) {
		if (this.server != null && !isNested(context)) {
			this.server.close();
		}
	}

	private static boolean isNested(ExtensionContext context) {
		return context.getRequiredTestClass().isAnnotationPresent(Nested.class);
	}

}
