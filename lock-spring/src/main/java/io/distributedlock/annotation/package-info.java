/**
 * The annotations that put methods under locks, what applies to all of them, and what is
 * thrown if one cannot work.
 * <p>
 * Covered by {@code DistributedLockTests}, {@code MistakesAtStartTests} and
 * {@code PolicyTests}.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
