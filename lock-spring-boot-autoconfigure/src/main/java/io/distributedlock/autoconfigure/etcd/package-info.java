/**
 * Auto-configuration of locks on etcd.
 */
@NullMarked
package io.distributedlock.autoconfigure.etcd;

import org.jspecify.annotations.NullMarked;
