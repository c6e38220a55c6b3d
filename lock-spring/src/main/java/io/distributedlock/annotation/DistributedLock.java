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
 * Makes a method run under a lock that all instances of the application share.
 *
 * <pre class="code">
 * &#064;DistributedLock(name = "order", key = "#order.id", waitTime = "5s")
 * public Receipt settle(Order order) { ... }
 * </pre>
 *
 * <p>
 * Two methods share a lock if they have the same {@link #name} and the same key. Without
 * a name a lock is named by its method, and is another lock after a deployment that
 * renames the class or changes the parameters.
 * <p>
 * An annotation on a class applies to each public method of the class; an annotation on
 * the method replaces it. Annotations on methods of super-classes and interfaces are
 * found, and so are meta-annotations. An attribute of theirs with the name of an
 * attribute of this annotation needs an {@code @AliasFor}, or the application does not
 * start.
 * <p>
 * The lock is acquired before a transaction of the same method begins, and released after
 * that has ended. If the caller is already in a transaction, the lock is kept until that
 * transaction has ended, see {@link #release}. If the lock is not available, the method
 * does not run: the call fails with {@link io.distributedlock.LockNotAcquiredException}
 * if others hold the lock, and with {@link io.distributedlock.LockUnavailableException}
 * if the backend failed. Exceptions of the method reach the caller unchanged.
 * <p>
 * The return type decides how long the lock is held:
 * <ul>
 * <li>{@code CompletableFuture} and {@code CompletionStage}: until the future has
 * completed. The method is started on a thread of the template's executor, or on that of
 * {@code @Async}.</li>
 * <li>{@code Mono}, {@code Flux}, every other type that Spring's
 * {@code ReactiveAdapterRegistry} knows, and suspending functions of Kotlin: each
 * subscription acquires the lock again and holds it until it completes, fails or is
 * cancelled.</li>
 * <li>Other types of future: the application does not start.</li>
 * <li>Every other type: until the method returns.</li>
 * </ul>
 * Only the last group blocks the caller's thread.
 * <p>
 * A method with several of these annotations runs when all locks are acquired, or not at
 * all. A parameter of type {@link io.distributedlock.LockHandle} receives the handle of
 * the lock, which {@link io.distributedlock.LockContext#current()} returns too.
 * <p>
 * A mistake in an attribute is reported at start-up by
 * {@link io.distributedlock.annotation.InvalidLockOperationException}.
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
	 * The key: a SpEL expression such as {@code #order.id}, or a template such as
	 * {@code order-#{#order.id}}. A literal needs quotes: {@code "'all-orders'"}.
	 * Default: no key, all calls of the method share one lock.
	 * <p>
	 * The expression can read the parameters by name and as {@code #p0} or {@code #a0},
	 * and {@code #root.method}, {@code #root.methodName}, {@code #root.target},
	 * {@code #root.targetClass} and {@code #root.args}. It can read beans, written as
	 * {@code @bean}, only if {@code lock.spel.bean-references} is {@code true}.
	 * Placeholders are not resolved in it. It is evaluated once for each call, before the
	 * method runs.
	 * <p>
	 * A result that is a collection or an array has several keys: the call acquires all
	 * of them or none. A call is refused with {@code InvalidLockKeyException} if a key is
	 * {@code null} or blank, or if the collection is empty, and with
	 * {@code IllegalArgumentException} if a value cannot be a key, such as a map or an
	 * object without a {@code toString} method of its own.
	 * @return the key expression
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * Whether the {@link #key} is the full key: what the backend sees, without prefix and
	 * name, and not escaped. For keys that other code locks by other means, such as
	 * {@code "'order_' + #id"}. Needs a key. Each provider keeps printable ASCII without
	 * white space, braces and slashes; one with {@link LockCapability#ANY_KEY} keeps any
	 * text without control characters; at most 200 bytes in UTF-8. A call with another
	 * key is refused with {@code InvalidLockKeyException}. Default: {@code false}.
	 * @return {@code true} for exactly this key
	 */
	boolean exactKey() default false;

	/**
	 * The name that groups locks: methods with the same name share the locks of equal
	 * keys. May be a placeholder such as {@code ${orders.lock.name}}, but no expression.
	 * <p>
	 * Default: the annotated method with its class and parameter types, such as
	 * {@code com.example.OrderService.settle(Long)}; types of {@code java.lang} are
	 * written without their package. With an annotation on a class, each method of the
	 * class and of its subclasses has a name of its own.
	 * @return the name
	 */
	String name() default "";

	/**
	 * The time after which the lock ends by itself, counted from when it was acquired:
	 * {@code 30s}, {@code 500ms}, {@code PT30S} or a placeholder such as
	 * {@code ${orders.lock.lease}}. A number needs a unit.
	 * <p>
	 * This is a limit: the lock ends then even if the method still runs, unless
	 * {@link #autoRenew} is on; {@link #onLost} says what happens to the call. {@code -1}
	 * means no limit: the lease is auto-renewed until the method ends, and expires if the
	 * JVM dies. Zero, other negative times and times outside of the provider's limits are
	 * refused at start-up. Default: {@code lock.lease-time}; if that is not set,
	 * {@code -1}.
	 * @return the lease time
	 */
	String leaseTime() default "";

	/**
	 * The longest time to wait while others hold the lock, written as {@link #leaseTime}.
	 * {@code 0} makes one attempt and does not wait. Negative times are refused at
	 * start-up. Default: {@code lock.wait-time}. {@link #onContention} says what happens
	 * when the time is over.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * Whether a lease with a {@link #leaseTime} is auto-renewed until the method ends.
	 * Without any, also in {@code lock.lease-time}, it always is. Default: {@code false}.
	 * @return {@code true} to renew the lease
	 */
	boolean autoRenew() default false;

	/**
	 * Whether a call inside a call that has the lock gets it as well, without waiting.
	 * Switch it off where the lock must not be shared with what runs on the same thread
	 * or in the same chain: such a call waits until the lock is released, or its wait
	 * time is over. Default: {@code true}.
	 * @return {@code false} for a lock that is not re-entered
	 */
	boolean reentrant() default true;

	/**
	 * The lock type. The application does not start if the provider cannot serve it.
	 * Default: {@link LockType#EXCLUSIVE}.
	 * @return the lock type
	 */
	LockType type() default LockType.EXCLUSIVE;

	/**
	 * The name of the provider, for an application that has several. May be a
	 * placeholder. The application does not start if there is no such provider. Default:
	 * {@code lock.provider}.
	 * @return the provider's name
	 */
	String provider() default "";

	/**
	 * The capabilities that the provider must have, beyond those that the {@link #type}
	 * needs; for example {@link LockCapability#FENCING} for a method that uses the
	 * fencing token. The application does not start if the provider lacks one. Default:
	 * none.
	 * @return the capabilities
	 */
	LockCapability[] requires() default {};

	/**
	 * Whether a call needs this lock: a SpEL expression that returns a boolean and can
	 * read the same values as {@link #key}. If it returns {@code false}, the method runs
	 * without this lock. If it returns something else than a boolean, the call is refused
	 * with {@code IllegalArgumentException}. Default: every call needs the lock.
	 * @return the condition
	 */
	String condition() default "";

	/**
	 * The number of permits of a lock of type {@link LockType#SEMAPHORE}, at least 1: a
	 * number or a placeholder. That type needs it and the other types refuse it, at
	 * start-up. {@link DistributedSemaphore} is shorter.
	 * @return the number of permits
	 */
	String permits() default "";

	/**
	 * The number of calls of this JVM that may wait for one key at a time. When so many
	 * wait, a further call does not wait: it ends as if its wait time were over.
	 * {@code 0} lets no call wait; {@code -1}, the default, means no limit.
	 * @return the number
	 */
	int maxWaiters() default -1;

	/**
	 * The minimum hold time: how long the key stays taken although the method has ended,
	 * counted from when the lock was acquired, written as {@link #leaseTime}. An explicit
	 * lease time must not be shorter. Needs {@link LockCapability#LOCK_DELAY}. Default:
	 * none, the lock is released when the method ends.
	 * @return the minimum hold time
	 */
	String holdAtLeast() default "";

	/**
	 * What happens to a call when others hold the lock for the whole wait time. Excludes
	 * {@link #fallback} and {@link #handler}. Default: {@code lock.on-contention}.
	 * @return the policy
	 */
	OnContention onContention() default OnContention.DEFAULT;

	/**
	 * The name of a method that is called instead, <em>without the lock</em>, when others
	 * hold the lock for the whole wait time. It is a method of the same class with the
	 * same return type and the same parameters, and may have one more parameter at the
	 * end, of type {@link io.distributedlock.LockNotAcquiredException}. The application
	 * does not start if there is no such method. Excludes {@link #onContention} and
	 * {@link #handler}. Default: none.
	 * @return the name of a method
	 */
	String fallback() default "";

	/**
	 * The name of the bean that decides about a call when others hold the lock for the
	 * whole wait time. The bean is a
	 * {@link io.distributedlock.annotation.LockContentionHandler}; without it the
	 * application does not start. May be a placeholder. Excludes {@link #onContention}
	 * and {@link #fallback}. Default: none.
	 * @return the name of a bean
	 */
	String handler() default "";

	/**
	 * What happens to a call when the backend fails or does not answer. Default: the call
	 * fails.
	 * @return the policy
	 */
	OnUnavailable onUnavailable() default OnUnavailable.THROW;

	/**
	 * What happens to a call when the lease ends while the method runs. Default: the loss
	 * is reported, and the method goes on.
	 * @return the policy
	 */
	OnLost onLost() default OnLost.REPORT;

	/**
	 * When to release the lock if the method is called inside a transaction of its
	 * caller. Default: {@code lock.transaction.release}.
	 * @return the time
	 */
	ReleaseTime release() default ReleaseTime.DEFAULT;

}
