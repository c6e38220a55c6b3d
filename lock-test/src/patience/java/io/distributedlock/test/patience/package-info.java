/**
 * How long tests wait, in one place. Modules that come before {@code lock-test} compile
 * this package into their tests.
 */
@NullMarked
package io.distributedlock.test.patience;

import org.jspecify.annotations.NullMarked;
