/**
 * Test support for Spring Boot applications with locks.
 */
@NullMarked
package io.distributedlock.boot.test;

import org.jspecify.annotations.NullMarked;
