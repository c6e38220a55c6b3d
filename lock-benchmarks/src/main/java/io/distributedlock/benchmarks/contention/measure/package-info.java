/**
 * The rows: which JVMs run for one, and what is computed from what they recorded.
 */
@NullMarked
package io.distributedlock.benchmarks.contention.measure;

import org.jspecify.annotations.NullMarked;
