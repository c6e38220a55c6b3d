/**
 * Auto-configuration of the meters and observations of locks.
 */
@NullMarked
package io.distributedlock.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
