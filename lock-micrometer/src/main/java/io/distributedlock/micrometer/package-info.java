/**
 * Meters and observations of locks, through Micrometer.
 * {@link io.distributedlock.micrometer.LockMeters} counts what happens,
 * {@link io.distributedlock.micrometer.LockObservations} observes each call.
 * <p>
 * Covered by {@code LockObservationsTests} and {@code LockMetersTests}.
 */
@NullMarked
package io.distributedlock.micrometer;

import org.jspecify.annotations.NullMarked;
