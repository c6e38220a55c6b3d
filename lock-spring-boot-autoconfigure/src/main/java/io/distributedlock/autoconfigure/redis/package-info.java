/**
 * Auto-configuration of the providers on Redis: Redisson, Lettuce and Redlock.
 */
@NullMarked
package io.distributedlock.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
