/**
 * The soak: a test that runs for hours, with several JVMs, all lock types, and servers
 * and nodes that are killed. At the end no lock may have had two owners, and memory,
 * threads and keys must be as at the beginning.
 */
@NullMarked
package io.distributedlock.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
