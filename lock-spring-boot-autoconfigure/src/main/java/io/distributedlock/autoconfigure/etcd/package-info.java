/**
 * Auto-configuration of the provider {@code etcd}, and of its client if the application
 * has none.
 * <p>
 * Covered by {@code EveryProviderTests} and {@code MisconfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.etcd;

import org.jspecify.annotations.NullMarked;
