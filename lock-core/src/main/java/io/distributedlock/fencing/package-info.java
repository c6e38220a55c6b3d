/**
 * For the resource that a lock protects: what refuses the writes of earlier holders.
 * <p>
 * Covered by {@code SequencerTests} and {@code JdbcFencedResourceTests}.
 */
@NullMarked
package io.distributedlock.fencing;

import org.jspecify.annotations.NullMarked;
