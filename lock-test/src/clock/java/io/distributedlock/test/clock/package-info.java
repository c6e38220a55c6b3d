/**
 * A clock for tests that can be put forward. The tests of {@code lock-core}, which comes
 * before {@code lock-test}, compile this package, too.
 */
@NullMarked
package io.distributedlock.test.clock;

import org.jspecify.annotations.NullMarked;
