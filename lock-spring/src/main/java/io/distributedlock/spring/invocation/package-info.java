/**
 * Runs a call of a locked method: acquires the locks, runs the method for as long as its
 * return type means it to run, and releases them. A call of an advised bean enters with
 * the rules of its annotations.
 */
@NullMarked
package io.distributedlock.spring.invocation;

import org.jspecify.annotations.NullMarked;
