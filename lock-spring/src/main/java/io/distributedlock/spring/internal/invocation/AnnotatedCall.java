package io.distributedlock.spring.internal.invocation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.spi.support.LimitedLog;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.CallLocks;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method: how to acquire the locks, and what to run with them or
 * without them.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 *
 * @param template gives the locks
 * @param rules what the annotations say about calls
 * @param request what to lock
 * @param invocation the call as the proxy made it
 */
public record AnnotatedCall(LockTemplate template, CallRules rules, LockRequest request, MethodInvocation invocation) {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(AnnotatedCall.class));

	/**
	 * Return the object that a call is made on: the proxy itself if there is no object
	 * behind it, as with the clients that Spring makes of HTTP interfaces.
	 * @param call the call
	 * @return the target
	 */
	public static Object targetOf(MethodInvocation call) {
		Object target = call.getThis();
		return (target != null) ? target : ((ProxyMethodInvocation) call).getProxy();
	}

	/**
	 * Return the object that the caller sees: the proxy, or the object itself if the lock
	 * is woven in.
	 * @return the proxy
	 */
	public Object proxy() {
		return ((ProxyMethodInvocation) this.invocation).getProxy();
	}

	/**
	 * Return whether the lock is woven in. It is then inside of a transaction that the
	 * method itself starts.
	 */
	boolean isWoven() {
		return proxy() == this.invocation.getThis();
	}

	/**
	 * Return the method for a message.
	 */
	String method() {
		return this.invocation.getMethod().getDeclaringClass().getSimpleName() + "."
				+ this.invocation.getMethod().getName();
	}

	/**
	 * Return a copy of this call that may proceed later and on another thread: Spring's
	 * invocation object belongs to the caller's thread.
	 */
	AnnotatedCall copy() {
		return new AnnotatedCall(this.template, this.rules, this.request,
				((ProxyMethodInvocation) this.invocation).invocableClone());
	}

	LockHandle acquire() {
		return required(this.template.acquire(this.request));
	}

	/**
	 * Run work with the locks, or its replacement if they are not available, on a thread
	 * of the template's executor.
	 */
	CompletableFuture<@Nullable Object> executeAsync(Supplier<CompletionStage<@Nullable Object>> work,
			Function<LockException, CompletionStage<@Nullable Object>> otherwise) {
		return required(this.template.<@Nullable Object>executeAsync(this.request, work, otherwise));
	}

	CompletableFuture<LockHandle> acquireAsync() {
		return required(this.template.acquireAsync(this.request));
	}

	/**
	 * Require that the template returned something: a mock returns {@code null}.
	 */
	private <T> T required(@Nullable T answer) {
		if (answer == null) {
			throw new IllegalStateException(
					"%s asked %s for its lock and got null. If that is a mock, annotate the test class with @AutoConfigureTestLocks of lock-spring-boot-test instead, which needs no backend; or stub the mock"
						.formatted(method(), this.template.getClass().getName()));
		}
		return answer;
	}

	/**
	 * Run the method with the locks on this thread.
	 */
	@Nullable Object proceed(CallLocks locks) throws Throwable {
		if (!OptionalLibraries.TRANSACTIONS) {
			return proceed(locks.handle());
		}
		return locks.run(() -> {
			CommitCheckInterceptor.note(locks, this.invocation);
			return proceed(locks.handle());
		});
	}

	/**
	 * Run the method with the locks. It does not begin if they were lost before: this
	 * thread may have been paused for longer than the lease.
	 */
	@Nullable Object proceed(LockHandle handle) throws Throwable {
		handle.ensureHeld();
		int parameter = this.rules.handleParameter();
		if (parameter >= 0) {
			this.invocation.getArguments()[parameter] = handle;
		}
		return proceed();
	}

	/**
	 * Run the method. Aspects inside of the locks bind annotations and arguments through
	 * the invocation that Spring exposes on the thread, and the thread of a copy has
	 * another one, or none.
	 */
	private @Nullable Object proceed() throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation);
	}

	/**
	 * Do what the annotations say for a call whose locks are not available.
	 * @param refusal why they are not available
	 */
	@Nullable Object otherwise(LockException refusal) throws Throwable {
		if (refusal instanceof LockNotAcquiredException contention) {
			return switch (contention.getReason()) {
				case CONTENDED, CROWDED -> this.rules.contention().end(contention, this);
				case INTERRUPTED, CLOSED, NO_THREAD -> throw contention;
			};
		}
		if (refusal instanceof LockUnavailableException && this.rules.onUnavailable() == OnUnavailable.PROCEED) {
			warnings.warn("{} runs WITHOUT its lock, as its annotation says: {}", method(), refusal.getMessage());
			return proceed();
		}
		throw refusal;
	}

}
