/**
 * Starts Redis and the nodes, shows what they do, and reports.
 */
@NullMarked
package io.distributedlock.sample.coordinator;

import org.jspecify.annotations.NullMarked;
