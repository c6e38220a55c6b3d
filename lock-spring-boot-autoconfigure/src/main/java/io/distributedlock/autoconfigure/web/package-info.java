/**
 * Auto-configuration for controllers on Spring MVC and WebFlux: methods that take a
 * {@code LockHandle} as a parameter, and answers to requests without their lock.
 * <p>
 * Covered by {@code LockProblemsTests} and {@code LockedControllerTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
