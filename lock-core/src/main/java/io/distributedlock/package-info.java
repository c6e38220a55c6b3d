/**
 * The API for applications: {@link io.distributedlock.LockTemplate} and the types of its
 * parameters and results.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
