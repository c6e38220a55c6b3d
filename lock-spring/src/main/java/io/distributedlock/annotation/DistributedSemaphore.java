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
 * Lets a number of calls run a method at a time, over all instances of the application.
 *
 * <pre class="code">
 * &#064;DistributedSemaphore(permits = "${reports.parallel}", waitTime = "1m")
 * public Report render(Template template) { ... }
 * </pre>
 *
 * A {@link DistributedLock} of type {@link LockType#SEMAPHORE}, with the same meaning of
 * its attributes. Each call takes one permit, also one that is made inside of another.
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
	 * How many calls may run at a time: a number or a placeholder such as
	 * {@code ${reports.parallel}}. All who use a key must give the same.
	 * @return the number of permits
	 */
	@AliasFor(annotation = DistributedLock.class)
	String permits();

	/**
	 * What the permits are for, as {@link DistributedLock#key}. Without a key all calls
	 * of the method share them.
	 * @return the key expression
	 */
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * What the key stands under, as {@link DistributedLock#name}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * When a permit ends by itself, as {@link DistributedLock#leaseTime}.
	 * @return the lease time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String leaseTime() default "";

	/**
	 * How long to wait for a permit, as {@link DistributedLock#waitTime}.
	 * @return the wait time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String waitTime() default "";

	/**
	 * Whether a permit of explicit lease time is kept alive, as
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
	 * Whether to ask for a permit at all, as {@link DistributedLock#condition}.
	 * @return the condition
	 */
	@AliasFor(annotation = DistributedLock.class)
	String condition() default "";

	/**
	 * How many calls of this JVM may wait, as {@link DistributedLock#maxWaiters}.
	 * @return the number
	 */
	@AliasFor(annotation = DistributedLock.class)
	int maxWaiters() default -1;

	/**
	 * What to do when no permit is free, as {@link DistributedLock#onContention}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnContention onContention() default OnContention.DEFAULT;

	/**
	 * What to call when no permit is free, as {@link DistributedLock#fallback}.
	 * @return the name of a method
	 */
	@AliasFor(annotation = DistributedLock.class)
	String fallback() default "";

	/**
	 * What handles that no permit is free, as {@link DistributedLock#handler}.
	 * @return the name of a bean
	 */
	@AliasFor(annotation = DistributedLock.class)
	String handler() default "";

	/**
	 * What to do when the backend is down, as {@link DistributedLock#onUnavailable}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What to do when the lease ends under the method, as {@link DistributedLock#onLost}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to give the permit back, as {@link DistributedLock#release}.
	 * @return the time
	 */
	@AliasFor(annotation = DistributedLock.class)
	ReleaseTime release() default ReleaseTime.DEFAULT;

}
