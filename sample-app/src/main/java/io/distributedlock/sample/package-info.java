/**
 * A demonstration: three nodes refresh the shared access_token of WeChat, without a lock
 * and with it.
 */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
