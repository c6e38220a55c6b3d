/**
 * Auto-configuration of the Redisson provider.
 */
@NullMarked
package io.distributedlock.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
