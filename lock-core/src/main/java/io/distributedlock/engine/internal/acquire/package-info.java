/**
 * Internal: Acquisitions for a caller: by re-entry, for a thread or a future, of one key
 * or several.
 */
@NullMarked
package io.distributedlock.engine.internal.acquire;

import org.jspecify.annotations.NullMarked;
