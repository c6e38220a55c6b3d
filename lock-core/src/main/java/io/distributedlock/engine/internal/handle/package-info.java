/**
 * Internal: What callers hold: handles of one and of several locks, and how they are
 * closed.
 * <p>
 * Covered by {@code SingleHandleTests} and {@code WaitTimesOfSeveralLocksTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.handle;

import org.jspecify.annotations.NullMarked;
