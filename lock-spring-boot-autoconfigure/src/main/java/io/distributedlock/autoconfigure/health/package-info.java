/**
 * Auto-configuration of the health of the backends of locks, and of the check at the
 * start of the application.
 * <p>
 * Covered by {@code LockHealthTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
