/**
 * The JVMs whose threads compete or hold locks, and what they record.
 */
@NullMarked
package io.distributedlock.benchmarks.contention.worker;

import org.jspecify.annotations.NullMarked;
