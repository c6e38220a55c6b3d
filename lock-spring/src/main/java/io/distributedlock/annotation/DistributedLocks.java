package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Several locks for one method, all of them or none. Written by the compiler where
 * {@link DistributedLock} is repeated.
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
