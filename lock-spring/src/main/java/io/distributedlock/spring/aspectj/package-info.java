/**
 * Locks that AspectJ weaves into methods.
 */
@NullMarked
package io.distributedlock.spring.aspectj;

import org.jspecify.annotations.NullMarked;
