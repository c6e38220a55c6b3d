/**
 * The compatibility kit: the tests that every lock provider must pass.
 */
@NullMarked
package io.distributedlock.test;

import org.jspecify.annotations.NullMarked;
