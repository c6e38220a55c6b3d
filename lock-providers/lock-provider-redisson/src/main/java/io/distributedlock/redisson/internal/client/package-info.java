/**
 * Internal: how a script reaches Redis through Redisson, and what a failure says.
 */
@NullMarked
package io.distributedlock.redisson.internal.client;

import org.jspecify.annotations.NullMarked;
