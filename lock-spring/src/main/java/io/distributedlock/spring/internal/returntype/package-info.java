/**
 * What methods return: whether it is there when the method has returned, or something
 * goes on that the lock has to be held for.
 * <p>
 * Covered by {@code ReturnTypeTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.returntype;

import org.jspecify.annotations.NullMarked;
