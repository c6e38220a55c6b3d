/**
 * Internal: Clock, threads, timers, and questions to providers with one answer each. Uses
 * nothing inside the engine.
 * <p>
 * Covered by {@code ThreadsTests}, {@code UnansweredRequestsTests} and
 * {@code OverflowTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.runtime;

import org.jspecify.annotations.NullMarked;
