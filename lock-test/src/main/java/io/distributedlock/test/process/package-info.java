/**
 * A second JVM for tests of what happens between two, and when one dies.
 */
@NullMarked
package io.distributedlock.test.process;

import org.jspecify.annotations.NullMarked;
