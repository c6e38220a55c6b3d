/**
 * A second JVM, for tests with several nodes and for tests in which a node dies; what
 * this JVM writes to its log.
 */
@NullMarked
package io.distributedlock.test.process;

import org.jspecify.annotations.NullMarked;
