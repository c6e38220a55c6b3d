/**
 * What is wrong with the configuration, for who starts the application.
 */
@NullMarked
package io.distributedlock.autoconfigure.failure;

import org.jspecify.annotations.NullMarked;
