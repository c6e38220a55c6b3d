/**
 * The examples of {@code docs/features} and {@code docs/migration}: beans as an
 * application has them, which the pages show, and tests that run them on several nodes.
 */
@NullMarked
package io.distributedlock.examples;

import org.jspecify.annotations.NullMarked;
