/**
 * Runs a call of a locked method: acquires the locks, runs the method, holds the locks
 * until its result has ended, and releases them. Input: a call of an advised bean, with
 * the rules of its annotations.
 * <p>
 * Covered by {@code MatrixTests}, {@code ReactiveTests} and {@code CoroutineTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.invocation;

import org.jspecify.annotations.NullMarked;
