/**
 * What the demonstration adds to a node: it leaves out the lock where the coordinator
 * says so, tells the coordinator when the node is ready, and ends the node with it.
 */
@NullMarked
package io.distributedlock.sample.demonstration;

import org.jspecify.annotations.NullMarked;
