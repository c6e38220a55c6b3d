/**
 * Which annotations count for a method, and whether its calls reach the lock: the checks
 * of classes at start-up. Classes of beans enter; warnings and exceptions leave.
 */
@NullMarked
package io.distributedlock.spring.reach;

import org.jspecify.annotations.NullMarked;
