/**
 * The examples of {@code docs/features}. The snippets of those pages are taken from here.
 */
@NullMarked
package io.distributedlock.examples;

import org.jspecify.annotations.NullMarked;
