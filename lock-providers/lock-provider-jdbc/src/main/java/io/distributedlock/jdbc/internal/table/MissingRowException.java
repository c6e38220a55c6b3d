package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;

/**
 * There is no row of a key yet.
 */
final class MissingRowException extends SQLException {

	private static final long serialVersionUID = 1L;

	MissingRowException() {
		super("there is no row of this key");
	}

}
