/**
 * An application with tests of its own, as docs/testing-your-application.md shows them.
 */
@NullMarked
package io.distributedlock.examples.payouts;

import org.jspecify.annotations.NullMarked;
