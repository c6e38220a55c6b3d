package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if a lock provider should be configured. This is the case if
 * {@code lock.provider} or {@code lock.providers} names it. If neither property is set,
 * it is also the case if the application declares no {@code LockProvider} bean and the
 * provider does not require to be {@link #named() named}.
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
	 * Whether the provider is configured only if a property names it.
	 * @return {@code true} if it is not enough that the provider is on the class path
	 */
	boolean named() default false;

}
