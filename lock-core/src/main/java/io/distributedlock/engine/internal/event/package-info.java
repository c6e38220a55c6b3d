/**
 * Internal: What listeners and observers are told, and the story of each lock in the log.
 */
@NullMarked
package io.distributedlock.engine.internal.event;

import org.jspecify.annotations.NullMarked;
