/**
 * A node: it sends messages with the shared token, and refreshes the token.
 */
@NullMarked
package io.distributedlock.sample.node;

import org.jspecify.annotations.NullMarked;
