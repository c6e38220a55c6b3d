/**
 * Locks on ZooKeeper through Curator.
 * <p>
 * Covered by {@code ZooKeeperLockProviderKitTests}, {@code ZooKeeperEdgeCaseTests} and
 * {@code ZooKeeperLostAnswersTests}.
 */
@NullMarked
package io.distributedlock.zookeeper;

import org.jspecify.annotations.NullMarked;
