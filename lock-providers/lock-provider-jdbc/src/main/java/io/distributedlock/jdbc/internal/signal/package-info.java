/**
 * Internal: Releases are announced to waiters and heard, where the database can send
 * messages.
 */
@NullMarked
package io.distributedlock.jdbc.internal.signal;

import org.jspecify.annotations.NullMarked;
