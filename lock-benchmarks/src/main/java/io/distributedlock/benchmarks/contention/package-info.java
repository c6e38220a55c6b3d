/**
 * Measures locks that callers compete for, this library's and others', in several JVMs
 * and side by side. {@link io.distributedlock.benchmarks.contention.Contention} is the
 * command. Of the rooms, each uses only those below it:
 *
 * <pre>
 * contention   the command, its options, the tables and the picture
 * .measure     the rows, and what is computed of what was recorded
 * .worker      the JVMs that compete; knows the contenders, as does
 * .server      the servers of the backends
 * .contender   the locks that are measured
 * </pre>
 */
@NullMarked
package io.distributedlock.benchmarks.contention;

import org.jspecify.annotations.NullMarked;
