/**
 * Measures locks that callers compete for, this library's and others', in several JVMs
 * and side by side. {@link io.distributedlock.benchmarks.contention.Contention} is the
 * command.
 */
@NullMarked
package io.distributedlock.benchmarks.contention;

import org.jspecify.annotations.NullMarked;
