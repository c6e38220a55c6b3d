/**
 * Internal: Acquisitions for a caller: by re-entry, for a thread or a future, of one key
 * or several.
 * <p>
 * Covered by {@code AsyncCallsTests}, {@code WaitTimesOfSeveralLocksTests},
 * {@code FailedCallsForSeveralLocksTests} and {@code SimulationTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.acquire;

import org.jspecify.annotations.NullMarked;
