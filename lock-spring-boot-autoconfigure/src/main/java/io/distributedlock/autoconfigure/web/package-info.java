/**
 * Auto-configuration for controllers, on Spring MVC and WebFlux, whose methods take a
 * {@code LockHandle} as a parameter.
 */
@NullMarked
package io.distributedlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
