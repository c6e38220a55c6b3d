/**
 * Locks on etcd through jetcd: {@link io.distributedlock.etcd.EtcdLockProvider}, and
 * {@link io.distributedlock.etcd.EtcdClients} for a client with bounded waits.
 * <p>
 * Covered by {@code EtcdLockProviderKitTests}, {@code EtcdEdgeCaseTests} and
 * {@code EtcdClusterTests}.
 */
@NullMarked
package io.distributedlock.etcd;

import org.jspecify.annotations.NullMarked;
