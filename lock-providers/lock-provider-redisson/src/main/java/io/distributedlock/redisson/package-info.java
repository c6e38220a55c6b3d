/**
 * Locks on Redis through Redisson, with the key layout of Redisson's own locks.
 */
@NullMarked
package io.distributedlock.redisson;

import org.jspecify.annotations.NullMarked;
