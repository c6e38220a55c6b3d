package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.LockType;

import org.springframework.core.annotation.AliasFor;

/**
 * Limits how many calls run a method at the same time, counted over all instances of the
 * application.
 *
 * <pre class="code">
 * &#064;DistributedSemaphore(permits = "${reports.parallel}", waitTime = "1m")
 * public Report render(Template template) { ... }
 * </pre>
 *
 * This is a {@link DistributedLock} of type {@link LockType#SEMAPHORE}; attributes of the
 * same name mean the same. Each call takes one permit. A call inside of another one takes
 * a second permit.
 *
 * @since 0.1
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@DistributedLock(type = LockType.SEMAPHORE)
public @interface DistributedSemaphore {

	/**
	 * How many calls may run at the same time, at least 1: a number or a placeholder such
	 * as {@code ${reports.parallel}}. All users of a key must give the same number.
	 * @return the number of permits
	 */
	@AliasFor(annotation = DistributedLock.class)
	String permits();

	/**
	 * The key that the permits belong to, as {@link DistributedLock#key}. Default: no
	 * key, all calls of the method share the permits.
	 * @return the key expression
	 */
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * The name that groups keys, as {@link DistributedLock#name}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * The time after which a permit ends by itself, as {@link DistributedLock#leaseTime}.
	 * @return the lease time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String leaseTime() default "";

	/**
	 * The longest time to wait for a permit, as {@link DistributedLock#waitTime}.
	 * @return the wait time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String waitTime() default "";

	/**
	 * Whether a lease with an explicit lease time is auto-renewed, as
	 * {@link DistributedLock#autoRenew}.
	 * @return {@code true} to renew the lease
	 */
	@AliasFor(annotation = DistributedLock.class)
	boolean autoRenew() default false;

	/**
	 * The name of the provider, as {@link DistributedLock#provider}.
	 * @return the provider's name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String provider() default "";

	/**
	 * Whether a call needs a permit, as {@link DistributedLock#condition}.
	 * @return the condition
	 */
	@AliasFor(annotation = DistributedLock.class)
	String condition() default "";

	/**
	 * How many calls of this JVM may wait for one key, as
	 * {@link DistributedLock#maxWaiters}.
	 * @return the number
	 */
	@AliasFor(annotation = DistributedLock.class)
	int maxWaiters() default -1;

	/**
	 * What happens to a call when no permit is free for the whole wait time, as
	 * {@link DistributedLock#onContention}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnContention onContention() default OnContention.DEFAULT;

	/**
	 * The method that is called instead when no permit is free, as
	 * {@link DistributedLock#fallback}.
	 * @return the name of a method
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallback() default "";

	/**
	 * The bean that decides when no permit is free, as {@link DistributedLock#handler}.
	 * @return the name of a bean
	 */
	@AliasFor(annotation = DistributedLock.class)
	String handler() default "";

	/**
	 * What happens to a call when the backend fails, as
	 * {@link DistributedLock#onUnavailable}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What happens to a call when the lease ends while the method runs, as
	 * {@link DistributedLock#onLost}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to release the permit, as {@link DistributedLock#release}.
	 * @return the time
	 */
	@AliasFor(annotation = DistributedLock.class)
	ReleaseTime release() default ReleaseTime.DEFAULT;

}
