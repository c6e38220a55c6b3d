/**
 * What several packages of this module need: which optional libraries are there, and what
 * runs under locks.
 * <p>
 * Covered by {@code PlainSpringTests}.
 */
@NullMarked
package io.distributedlock.spring.internal.support;

import org.jspecify.annotations.NullMarked;
