/**
 * Benchmarks: what a locked call and a lock on Redis cost.
 */
@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
