/**
 * Locks that AspectJ weaves into methods, instead of proxies around beans. A woven call
 * enters; the advice of the application context runs it.
 */
@NullMarked
package io.distributedlock.spring.aspectj;

import org.jspecify.annotations.NullMarked;
