/**
 * Locks on Redis through Lettuce: on a single server, Sentinel or Cluster, and on
 * independent servers by the Redlock algorithm.
 */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
