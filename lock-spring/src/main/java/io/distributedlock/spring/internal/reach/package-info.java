/**
 * Which annotations count for a method, and whether its calls reach the lock: the checks
 * of classes at start-up. Input: classes of beans. Output: warnings and exceptions.
 * <p>
 * Covered by {@code UnreachableMethodTests} and {@code WovenTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.reach;

import org.jspecify.annotations.NullMarked;
