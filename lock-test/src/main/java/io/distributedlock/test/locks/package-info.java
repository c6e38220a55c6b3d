/**
 * Locks for the tests of an application: in memory, with contention, outages, losses and
 * time as a test wants them, and with assertions. They have nothing to do with the kit
 * for providers.
 */
@NullMarked
package io.distributedlock.test.locks;

import org.jspecify.annotations.NullMarked;
