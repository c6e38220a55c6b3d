/**
 * What providers on Redis have in common, whatever their client. A provider must not use
 * another provider, and this needs no client: scripts as text, and what goes in and comes
 * out of them.
 */
@NullMarked
package io.distributedlock.spi.support.redis;

import org.jspecify.annotations.NullMarked;
