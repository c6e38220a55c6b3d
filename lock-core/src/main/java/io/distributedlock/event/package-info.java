/**
 * What happens to locks: events for listeners, observations of single calls, and what a
 * JVM holds and waits for.
 * <p>
 * Covered by {@code LockListenerTests} and {@code LockObserverTests}.
 */
@NullMarked
package io.distributedlock.event;

import org.jspecify.annotations.NullMarked;
