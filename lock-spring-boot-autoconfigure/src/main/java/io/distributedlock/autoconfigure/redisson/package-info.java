/**
 * Auto-configuration of the Redisson provider.
 */
@NullMarked
package io.distributedlock.autoconfigure.redisson;

import org.jspecify.annotations.NullMarked;
