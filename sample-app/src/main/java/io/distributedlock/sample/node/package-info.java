/**
 * One node: sends messages with the shared token, and refreshes it.
 */
@NullMarked
package io.distributedlock.sample.node;

import org.jspecify.annotations.NullMarked;
