/**
 * The servers that locks are on, and what they count.
 */
@NullMarked
package io.distributedlock.benchmarks.contention.server;

import org.jspecify.annotations.NullMarked;
