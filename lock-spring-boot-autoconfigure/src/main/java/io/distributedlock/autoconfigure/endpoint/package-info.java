/**
 * Auto-configuration of the actuator endpoint of locks.
 */
@NullMarked
package io.distributedlock.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
