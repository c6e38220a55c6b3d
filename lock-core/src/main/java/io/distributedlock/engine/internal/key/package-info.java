/**
 * Internal: How a call gets its key: its turn among those of this JVM, attempts at the
 * backend, places in its queue, pauses, and outages.
 * <p>
 * Covered by {@code SimulationTests}, {@code RacesTests} and
 * {@code MisbehavingProviderTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.key;

import org.jspecify.annotations.NullMarked;
