/**
 * Auto-configuration of locks on ZooKeeper.
 */
@NullMarked
package io.distributedlock.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
