/**
 * Auto-configuration of locks on a database.
 */
@NullMarked
package io.distributedlock.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
