package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;

/**
 * There is no row of a key yet. The call may be tried again, as after a collision: a
 * sweep has deleted the row meanwhile.
 */
final class MissingRowException extends SQLException {

	private static final long serialVersionUID = 1L;

	MissingRowException() {
		super("there is no row of this key", "40001");
	}

}
