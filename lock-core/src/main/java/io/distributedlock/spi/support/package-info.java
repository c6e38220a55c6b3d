/**
 * Helpers for providers. A provider may use them or not: the engine knows only the
 * contracts in {@link io.distributedlock.spi}.
 */
@NullMarked
package io.distributedlock.spi.support;

import org.jspecify.annotations.NullMarked;
