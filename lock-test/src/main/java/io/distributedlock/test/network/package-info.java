/**
 * A proxy between a client and a server that does what a faulty network does.
 */
@NullMarked
package io.distributedlock.test.network;

import org.jspecify.annotations.NullMarked;
