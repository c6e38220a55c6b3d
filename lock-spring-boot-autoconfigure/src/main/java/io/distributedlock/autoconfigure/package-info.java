/**
 * Auto-configuration of locks for Spring Boot.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
