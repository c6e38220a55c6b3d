/**
 * Locks on Memcached through Folsom.
 */
@NullMarked
package io.distributedlock.memcached;

import org.jspecify.annotations.NullMarked;
