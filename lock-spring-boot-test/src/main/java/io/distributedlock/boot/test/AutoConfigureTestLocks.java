package io.distributedlock.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.test.locks.TestLocks;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * On a test class of a Spring Boot application: the locks are real, but their leases are
 * kept in memory, and no backend is needed. Each provider of the application is replaced
 * by one with its name and its capabilities, so that an annotation which the real one
 * refuses is refused here, too. Clients that exist only for locks are not created.
 * <p>
 * The context has a {@link TestLocks} bean, for contention, outages, losses, the clock
 * and assertions. After each test method other nodes release their keys, the providers
 * work, and locks that the method has left are lost. Tests that use one context at the
 * same time disturb each other.
 *
 * <pre>{@code
 * this.orders.settle(42);
 * assertThat(this.locks).wasAcquired("order:42").hasNothingHeld();
 * }</pre>
 *
 * @since 0.1
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {

	/**
	 * Whether the providers are replaced.
	 * @return {@code false} to use the real ones, in a subclass of an annotated class
	 */
	boolean enabled() default true;

}
