/**
 * Auto-configuration of locks in controllers.
 */
@NullMarked
package io.distributedlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
