/**
 * Internal: A request with all defaults filled in, its full keys, and the errors that
 * name it.
 * <p>
 * Covered by {@code RequestOptionsTests}, {@code FullKeysTests} and
 * {@code UnlockedTests}.
 */
@NullMarked
package io.distributedlock.engine.internal.request;

import org.jspecify.annotations.NullMarked;
