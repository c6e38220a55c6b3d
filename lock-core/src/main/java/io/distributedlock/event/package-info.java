/**
 * What happens to locks: events for listeners, observations of single calls, and what a
 * JVM holds and waits for.
 */
@NullMarked
package io.distributedlock.event;

import org.jspecify.annotations.NullMarked;
