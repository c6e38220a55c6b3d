/**
 * The annotations that put methods under locks.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
