package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if an application wants a lock provider: {@code lock.provider} or
 * {@code lock.providers} names it; or neither is set, the application declares no
 * provider itself, and this one may serve without being named.
 *
 * @since 0.1
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockProviderCondition.class)
public @interface ConditionalOnLockProvider {

	/**
	 * The name of the provider.
	 * @return the name
	 */
	String value();

	/**
	 * Whether the provider must be named to be configured.
	 * @return {@code true} if being on the class path is not enough
	 */
	boolean named() default false;

}
