/**
 * What happens to locks: events for listeners, and observations of single calls.
 */
@NullMarked
package io.distributedlock.event;

import org.jspecify.annotations.NullMarked;
