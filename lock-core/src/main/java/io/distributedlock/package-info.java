/**
 * The API for applications: {@link io.distributedlock.LockTemplate} and the types of its
 * parameters and results.
 * <p>
 * Covered by {@code ProviderContract}, {@code RequestOptionsTests} and
 * {@code MisbehavingProviderTests}.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
