package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Makes a scheduled method run on one instance of the application for each time of its
 * schedule. The other instances skip that run.
 *
 * <pre class="code">
 * &#064;Scheduled(cron = "0 0 3 * * *")
 * &#064;ScheduledLock(holdAtLeast = "30s")
 * public void writeNightlyReport() { ... }
 * </pre>
 *
 * This is a {@link DistributedLock} that does not wait and skips the method if another
 * instance holds the lock; attributes of the same name mean the same.
 *
 * @since 0.1
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitTime = "0", onContention = OnContention.SKIP)
public @interface ScheduledLock {

	/**
	 * The minimum hold time, as {@link DistributedLock#holdAtLeast}. Choose it longer
	 * than the clocks of the instances differ, or a late instance runs the method again,
	 * and shorter than the time between two runs, or the next run is skipped.
	 * @return the time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String holdAtLeast();

	/**
	 * The time after which the lock ends by itself, as {@link DistributedLock#leaseTime}.
	 * Default: {@code -1}, the lease is auto-renewed while the method runs, whatever
	 * {@code lock.lease-time} says.
	 * @return the lease time
	 */
	@AliasFor(annotation = DistributedLock.class)
	String leaseTime() default "-1";

	/**
	 * The name that groups keys, as {@link DistributedLock#name}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String name() default "";

	/**
	 * The key, as {@link DistributedLock#key}. Default: one lock for the method.
	 * @return the key expression
	 */
	@AliasFor(annotation = DistributedLock.class)
	String key() default "";

	/**
	 * Whether the key is the full key, as {@link DistributedLock#exactKey}.
	 * @return {@code true} for exactly this key
	 */
	@AliasFor(annotation = DistributedLock.class)
	boolean exactKey() default false;

	/**
	 * The name of the provider, as {@link DistributedLock#provider}.
	 * @return the provider's name
	 */
	@AliasFor(annotation = DistributedLock.class)
	String provider() default "";

	/**
	 * What happens to a call when the lease ends while the method runs, as
	 * {@link DistributedLock#onLost}.
	 * @return the policy
	 */
	@AliasFor(annotation = DistributedLock.class)
	OnLost onLost() default OnLost.REPORT;

}
