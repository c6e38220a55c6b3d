/**
 * A proxy that stands between a client and a server and makes the network fail.
 */
@NullMarked
package io.distributedlock.test.network;

import org.jspecify.annotations.NullMarked;
