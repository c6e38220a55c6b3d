/**
 * Locks on Redis through Redisson, its own locks underneath.
 */
@NullMarked
package io.distributedlock.redisson;

import org.jspecify.annotations.NullMarked;
