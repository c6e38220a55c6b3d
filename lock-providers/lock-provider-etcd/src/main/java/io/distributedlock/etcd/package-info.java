/**
 * Locks on etcd through jetcd: {@link io.distributedlock.etcd.EtcdLockProvider}, and
 * {@link io.distributedlock.etcd.EtcdClients} for a client with bounded waits.
 */
@NullMarked
package io.distributedlock.etcd;

import org.jspecify.annotations.NullMarked;
