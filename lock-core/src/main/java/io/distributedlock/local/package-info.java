/**
 * A provider for one JVM, without a server: for a first try and for tests.
 */
@NullMarked
package io.distributedlock.local;

import org.jspecify.annotations.NullMarked;
