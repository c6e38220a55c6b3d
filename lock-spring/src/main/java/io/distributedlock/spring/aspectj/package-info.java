/**
 * Locks that AspectJ weaves into methods, instead of proxies around beans. The advice of
 * the application context runs each woven call.
 * <p>
 * Covered by {@code AspectTests} and {@code WovenTests}.
 */
@NullMarked
package io.distributedlock.spring.aspectj;

import org.jspecify.annotations.NullMarked;
