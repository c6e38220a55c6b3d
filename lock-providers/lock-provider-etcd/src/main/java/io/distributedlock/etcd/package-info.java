/**
 * Locks on etcd through jetcd.
 */
@NullMarked
package io.distributedlock.etcd;

import org.jspecify.annotations.NullMarked;
