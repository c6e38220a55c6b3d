/**
 * For the resource that a lock protects: what refuses the writes of earlier holders.
 */
@NullMarked
package io.distributedlock.fencing;

import org.jspecify.annotations.NullMarked;
