package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes a method run under one lock that all instances of the application share.
 *
 * <pre class="code">
 * &#064;DistributedLock(key = "#order.id", leaseTime = "30s", waitTime = "5s")
 * public Receipt settle(Order order) { ... }
 * </pre>
 *
 * <p>
 * Two methods share a lock only if they give the same {@link #name}: without one, each
 * method has a lock of its own for each key.
 * <p>
 * On a class it stands for each public method of the class; an annotation on a method
 * wins. It is found on methods of super-classes and interfaces, and may be a
 * meta-annotation. The lock is taken before a transaction of the same method begins, and
 * given back after it has ended; inside a transaction of the caller it is kept until that
 * has ended, see {@link #release}. If the lock is not available, the method does not run:
 * {@link io.distributedlock.LockNotAcquiredException} says that others held it,
 * {@link io.distributedlock.LockUnavailableException} that the backend failed. What the
 * method throws arrives unchanged.
 * <p>
 * A method that returns a {@code CompletableFuture} or {@code CompletionStage} holds the
 * lock until that has completed; it is started on a thread of the template's executor. A
 * method that returns a {@code Mono}, a {@code Flux} or another type that Spring's
 * {@code ReactiveAdapterRegistry} knows, and a suspending function of Kotlin, is locked
 * anew at each subscription, until it completes, fails or is cancelled. None of them
 * blocks the caller's thread. Other types of future are refused when the application
 * starts.
 * <p>
 * Repeated on one method it takes all of the locks or none. A parameter of type
 * {@link io.distributedlock.LockHandle} is filled in with what is held, which
 * {@link io.distributedlock.LockContext#current()} gives too.
 *
 * @since 0.1
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #key}.
	 * @return the key expression
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * What to lock: a SpEL expression, such as {@code #order.id}, or a template such as
	 * {@code order-#{#order.id}}. It sees the parameters by name and as {@code #p0} or
	 * {@code #a0}, and {@code #root.method}, {@code #root.methodName},
	 * {@code #root.target}, {@code #root.targetClass} and {@code #root.args}; beans as
	 * {@code @bean} only if {@code lock.spel.bean-references} is on. It is evaluated
	 * once, before the method runs.
	 * <p>
	 * A literal needs quotes: {@code "'all-orders'"}. A collection or an array gives
	 * several keys, which are locked all together. A result that is {@code null}, blank,
	 * empty, a map or an object without a {@code toString} of its own is refused. Without
	 * a key, all calls of the method share one lock.
	 * @return the key expression
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * What the key stands under: methods with the same name share the locks of equal
	 * keys. Default: the annotated method with its class and parameter types, such as
	 * {@code com.example.OrderService.settle(Long)}, where types of {@code java.lang}
	 * have no package. An annotation on a type stands for the methods of that type and of
	 * those that extend it, each under its own name. May be a placeholder.
	 * @return the name
	 */
	String name() default "";

	/**
	 * When the lock ends by itself, such as {@code 30s}, {@code 500ms}, {@code PT30S} or
	 * {@code ${orders.lock.lease}}. A ceiling: the lock ends then even if the method
	 * still runs, unless {@link #autoRenew} is on. {@code -1}: no ceiling, the lease is
	 * kept alive until the method ends or its JVM dies. Default: {@code lock.lease-time},
	 * and {@code -1} where that is not set.
	 * @return the lease time
	 */
	String leaseTime() default "";

	/**
	 * How long to wait while others hold the lock, written as {@link #leaseTime}.
	 * {@code 0} makes one attempt. Default: {@code lock.wait-time}.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * Whether a lease of explicit {@link #leaseTime} is kept alive until the method ends;
	 * without a lease time it always is.
	 * @return {@code true} to renew the lease
	 */
	boolean autoRenew() default false;

	/**
	 * The kind of lock.
	 * @return the kind
	 */
	LockType type() default LockType.EXCLUSIVE;

	/**
	 * The name of the provider, where the application has several. Default:
	 * {@code lock.provider}. May be a placeholder.
	 * @return the provider's name
	 */
	String provider() default "";

	/**
	 * What the provider must be capable of, such as {@link LockCapability#FENCING} for a
	 * method that hands a fencing token on. An application whose provider lacks it does
	 * not start.
	 * @return the capabilities beyond those that the {@link #type} implies
	 */
	LockCapability[] requires() default {};

	/**
	 * Whether to lock at all: a SpEL expression with the same names as the {@link #key},
	 * which gives a boolean. If it gives {@code false} the method runs without this lock.
	 * Default: always.
	 * @return the condition
	 */
	String condition() default "";

	/**
	 * How many permits a lock of type {@link LockType#SEMAPHORE} has, see
	 * {@link DistributedSemaphore}.
	 * @return a number or a placeholder
	 */
	String permits() default "";

	/**
	 * How many calls of this JVM may wait for the key. When there are as many, a further
	 * call ends at once as if its wait time were over. Default: any number.
	 * @return the number, {@code -1} for any
	 */
	int maxWaiters() default -1;

	/**
	 * How long the key is kept though the method has ended, counted from when the lock
	 * was acquired, written as {@link #leaseTime}. At most the lease time. Needs
	 * {@link LockCapability#LOCK_DELAY}. Default: not at all.
	 * @return the time
	 */
	String holdAtLeast() default "";

	/**
	 * What to do when others hold the lock for the whole wait time.
	 * @return the policy
	 */
	OnContention onContention() default OnContention.DEFAULT;

	/**
	 * What to call when others hold the lock for the whole wait time: the name of a
	 * method of the same class that takes the same parameters, or those and a
	 * {@link io.distributedlock.LockNotAcquiredException}, and gives what this method
	 * gives. It runs without the lock.
	 * @return the name of a method
	 */
	String fallback() default "";

	/**
	 * What handles that others hold the lock for the whole wait time: the name of a bean
	 * of type {@link io.distributedlock.spring.LockContentionHandler}.
	 * @return the name of a bean
	 */
	String handler() default "";

	/**
	 * What to do when the backend fails.
	 * @return the policy
	 */
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What to do when the lease ends while the method runs.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to give the lock back, if the method is called inside a transaction.
	 * @return the time
	 */
	ReleaseTime release() default ReleaseTime.DEFAULT;

}
