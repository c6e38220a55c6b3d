/**
 * Real servers for tests, on loopback and free ports, that end with the test.
 */
@NullMarked
package io.distributedlock.test.server;

import org.jspecify.annotations.NullMarked;
