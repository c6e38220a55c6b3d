package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Several locks of one method. The method runs when all of them are acquired, or not at
 * all. The compiler writes this annotation where {@link DistributedLock} is repeated.
 *
 * @since 0.1
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLocks {

	/**
	 * The locks.
	 * @return the locks
	 */
	DistributedLock[] value();

}
