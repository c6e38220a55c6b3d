/**
 * The coordinator: it runs the nodes, has them send messages, and shows the page. It does
 * not coordinate the refreshes; only the lock does that.
 */
@NullMarked
package io.distributedlock.sample.coordinator;

import org.jspecify.annotations.NullMarked;
