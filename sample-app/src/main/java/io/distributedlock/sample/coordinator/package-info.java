/**
 * The coordinator: starts the backend and the nodes, shows on a page what they do, and
 * prints the result.
 */
@NullMarked
package io.distributedlock.sample.coordinator;

import org.jspecify.annotations.NullMarked;
