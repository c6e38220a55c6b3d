/**
 * A run of hours: several JVMs, all kinds of locks, servers and nodes that die, and at
 * the end nothing that was not there at the beginning.
 */
@NullMarked
package io.distributedlock.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
