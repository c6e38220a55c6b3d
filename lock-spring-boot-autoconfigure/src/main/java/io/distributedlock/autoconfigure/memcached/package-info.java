/**
 * Auto-configuration of the provider {@code memcached}, and of its client if the
 * application has none.
 */
@NullMarked
package io.distributedlock.autoconfigure.memcached;

import org.jspecify.annotations.NullMarked;
