/**
 * Locks on a database, by plain JDBC.
 */
@NullMarked
package io.distributedlock.jdbc;

import org.jspecify.annotations.NullMarked;
