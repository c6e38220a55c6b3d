/**
 * From the annotations of a method to its lock operation: attributes, requests, and what
 * happens on contention.
 * <p>
 * Covered by {@code DistributedLockTests}, {@code MistakesAtStartTests} and
 * {@code PolicyTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.operation;

import org.jspecify.annotations.NullMarked;
