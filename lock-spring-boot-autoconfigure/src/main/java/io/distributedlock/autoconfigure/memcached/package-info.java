/**
 * Auto-configuration of locks on Memcached.
 */
@NullMarked
package io.distributedlock.autoconfigure.memcached;

import org.jspecify.annotations.NullMarked;
