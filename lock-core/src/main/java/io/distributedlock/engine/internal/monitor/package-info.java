/**
 * Internal: What is held and who waits: displays, warnings of long holds, deadlocks.
 */
@NullMarked
package io.distributedlock.engine.internal.monitor;

import org.jspecify.annotations.NullMarked;
