/**
 * What an application writes against: {@link io.distributedlock.LockTemplate} and the
 * types that go in and come out of it.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
