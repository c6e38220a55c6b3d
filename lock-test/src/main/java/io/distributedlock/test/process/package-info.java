/**
 * A second JVM, for tests with several nodes and for tests in which a node dies.
 */
@NullMarked
package io.distributedlock.test.process;

import org.jspecify.annotations.NullMarked;
