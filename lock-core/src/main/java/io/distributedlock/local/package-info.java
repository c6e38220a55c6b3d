/**
 * A provider for one JVM, without a server: for trying the library out and for tests.
 */
@NullMarked
package io.distributedlock.local;

import org.jspecify.annotations.NullMarked;
