/**
 * Auto-configuration of the provider {@code zookeeper}, and of its client if the
 * application has none.
 * <p>
 * Covered by {@code EveryProviderTests} and {@code MisconfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.zookeeper;

import org.jspecify.annotations.NullMarked;
