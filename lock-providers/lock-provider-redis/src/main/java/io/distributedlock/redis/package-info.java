/**
 * Locks on Redis through Lettuce: on one server, Sentinel or Cluster, and by the Redlock
 * algorithm over independent masters.
 */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
