/**
 * The compatibility kit that every lock provider passes.
 */
@NullMarked
package io.distributedlock.test;

import org.jspecify.annotations.NullMarked;
