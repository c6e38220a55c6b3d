/**
 * A provider for one JVM, without a server: for a first try and for tests.
 * <p>
 * Covered by {@code LocalLockProviderKitTests}.
 */
@NullMarked
package io.distributedlock.local;

import org.jspecify.annotations.NullMarked;
