/**
 * Internal: A hold: its lease, holders, deadline, renewal, extension, loss, release, and
 * hand-over to the next call of this JVM.
 * <p>
 * Covered by {@code SimulationTests}, {@code EngineFaultsTests} and
 * {@code LeaseTermTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.lease;

import org.jspecify.annotations.NullMarked;
