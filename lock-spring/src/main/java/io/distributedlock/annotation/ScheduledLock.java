package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Makes a scheduled method run on one instance of the application at each time, and not
 * at all on the others.
 *
 * <pre class="code">
 * &#064;Scheduled(cron = "0 0 3 * * *")
 * &#064;ScheduledLock(holdAtLeast = "30s")
 * public void writeNightlyReport() { ... }
 * </pre>
 *
 * A {@link DistributedLock} that does not wait, and skips the method where another
 * instance has the lock.
 *
 * @since 0.1
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
public @interface ScheduledLock {

	/**
	 * How long the lock is kept though the method has ended, as
	 * {@link DistributedLock#holdAtLeast}: longer than the clocks of the instances
	 * differ, and shorter than the time from one run to the next.
	 * @return the time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String holdAtLeast();

	/**
	 * When the lock ends by itself, as {@link DistributedLock#leaseTime}. By default it
	 * is kept alive while the method runs.
	 * @return the lease time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String leaseTime() default "-1";

	/**
	 * What the lock is called, as {@link DistributedLock#name}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * What to lock, as {@link DistributedLock#key}. By default one lock for the method.
	 * @return the key expression
	 */
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * The name of the provider, as {@link DistributedLock#provider}.
	 * @return the provider's name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String provider() default "";

	/**
	 * What to do when the lease ends under the method, as {@link DistributedLock#onLost}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

}
