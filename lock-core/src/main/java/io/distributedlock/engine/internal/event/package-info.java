/**
 * Internal: What listeners and observers are told.
 */
@NullMarked
package io.distributedlock.engine.internal.event;

import org.jspecify.annotations.NullMarked;
