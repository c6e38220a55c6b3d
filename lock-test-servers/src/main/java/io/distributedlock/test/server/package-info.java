/**
 * Real servers for the tests of this project and for the sample application. They listen
 * on free ports of the loopback interface and end with the test.
 */
@NullMarked
package io.distributedlock.test.server;

import org.jspecify.annotations.NullMarked;
