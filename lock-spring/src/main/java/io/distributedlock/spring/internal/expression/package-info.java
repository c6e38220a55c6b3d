/**
 * The expressions of annotations: what gives the keys of a call, and its condition.
 * Input: texts of annotations. Output: parsed and checked keys. Used by the package that
 * reads annotations; uses Spring's expression language only.
 * <p>
 * Covered by {@code KeyTextTests} and {@code DistributedLockTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.expression;

import org.jspecify.annotations.NullMarked;
