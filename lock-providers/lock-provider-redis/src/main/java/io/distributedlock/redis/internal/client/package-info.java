/**
 * Internal: how a command reaches Redis through Lettuce, and what a failure says.
 */
@NullMarked
package io.distributedlock.redis.internal.client;

import org.jspecify.annotations.NullMarked;
