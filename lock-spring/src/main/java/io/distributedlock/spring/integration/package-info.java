/**
 * A lock registry for Spring Integration. An application creates it from a lock template.
 * <p>
 * Covered by {@code LockTemplateLockRegistryTests}.
 */
@NullMarked
package io.distributedlock.spring.integration;

import org.jspecify.annotations.NullMarked;
