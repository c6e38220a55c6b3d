/**
 * Meters and observations of locks, through Micrometer.
 * {@link io.distributedlock.micrometer.LockMeters} counts what happens,
 * {@link io.distributedlock.micrometer.LockObservations} observes each call.
 */
@NullMarked
package io.distributedlock.micrometer;

import org.jspecify.annotations.NullMarked;
