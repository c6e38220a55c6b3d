/**
 * The locks that are measured, by their names: this library's, those of others, and
 * limits.
 */
@NullMarked
package io.distributedlock.benchmarks.contention.contender;

import org.jspecify.annotations.NullMarked;
