/**
 * Locks for Spring Integration.
 */
@NullMarked
package io.distributedlock.spring.integration;

import org.jspecify.annotations.NullMarked;
