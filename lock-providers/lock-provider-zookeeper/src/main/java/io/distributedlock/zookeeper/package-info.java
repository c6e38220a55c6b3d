/**
 * Locks on ZooKeeper through Curator.
 */
@NullMarked
package io.distributedlock.zookeeper;

import org.jspecify.annotations.NullMarked;
