/**
 * What a backend implements: a {@link io.distributedlock.spi.LockProvider} makes one
 * atomic attempt at a time, everything else is the engine's work.
 */
@NullMarked
package io.distributedlock.spi;

import org.jspecify.annotations.NullMarked;
