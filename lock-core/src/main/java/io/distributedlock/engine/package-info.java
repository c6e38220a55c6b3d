/**
 * The one place that knows how to get, keep and give back a lock, whatever the backend.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
