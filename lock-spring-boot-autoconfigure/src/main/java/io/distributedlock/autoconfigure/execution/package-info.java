/**
 * Where code of the application runs that waits for no thread of a caller, what it sees
 * of its caller, and how a shutdown waits for it.
 * <p>
 * Covered by {@code LockExecutionTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.execution;

import org.jspecify.annotations.NullMarked;
