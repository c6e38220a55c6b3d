/**
 * Puts annotated methods of Spring beans under locks.
 */
@NullMarked
package io.distributedlock.spring;

import org.jspecify.annotations.NullMarked;
