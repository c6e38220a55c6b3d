/**
 * Internal: A request with all defaults filled in, its full keys, and the errors that
 * name it.
 */
@NullMarked
package io.distributedlock.engine.internal.request;

import org.jspecify.annotations.NullMarked;
