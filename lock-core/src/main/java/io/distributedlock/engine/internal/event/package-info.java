/**
 * Internal: What listeners and observers are told.
 * <p>
 * Covered by {@code LockListenerTests} and {@code LockObserverTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.event;

import org.jspecify.annotations.NullMarked;
