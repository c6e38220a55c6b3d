/**
 * Internal: What is held and who waits: displays, warnings of long holds, deadlocks.
 * <p>
 * Covered by {@code HeldLockMonitorTests} and {@code LockObserverTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.monitor;

import org.jspecify.annotations.NullMarked;
