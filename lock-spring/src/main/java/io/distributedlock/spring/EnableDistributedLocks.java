package io.distributedlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;

import org.springframework.context.annotation.Import;

/**
 * Puts annotated methods under locks, in an application without Spring Boot. It stands on
 * a {@code @Configuration} class. The application declares a bean of type
 * {@link LockTemplate}, which is asked for when it is needed for the first time: without
 * it the application does not start if one of its beans has locked methods.
 * <p>
 * Locks are taken by proxies of the classes of beans. A bean of type
 * {@link DistributedLockSettings} replaces {@link DistributedLockSettings#DEFAULTS}. For
 * more, declare a {@link DistributedLockBeanPostProcessor} instead of this annotation.
 * <p>
 * With Spring Boot the starters do this, from properties; there this annotation would
 * replace what the properties {@code lock.*} say of annotated methods.
 *
 * @since 0.1
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(DistributedLockConfiguration.class)
public @interface EnableDistributedLocks {

}
