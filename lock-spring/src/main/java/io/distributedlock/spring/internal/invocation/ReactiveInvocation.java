package io.distributedlock.spring.internal.invocation;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spring.internal.returntype.AsynchronousTypes;
import io.distributedlock.spring.internal.returntype.ReturnType;
import io.distributedlock.spring.internal.support.MethodBody;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.CallLocks;
import io.distributedlock.spring.internal.transaction.EnclosingLocks;
import io.distributedlock.spring.internal.transaction.ReactiveTransactionLocks;
import io.distributedlock.spring.internal.transaction.TransactionRules;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Acquires the locks at each subscription to the publisher that the method returns, and
 * holds them until it completes, fails or is cancelled. No thread is blocked. Spring
 * presents a suspending function of Kotlin as a {@code Mono}.
 *
 * @param adapter knows the return type, {@code null} for a suspending function
 * @param returned what the method returns
 * @param mayGoOn whether a delivered value may go on itself
 * @param flow whether the method returns a flow of Kotlin
 */
record ReactiveInvocation(@Nullable ReactiveAdapter adapter, ReturnType returned, boolean mayGoOn,
		boolean flow) implements LockedInvocation {

	private ReactiveInvocation(@Nullable ReactiveAdapter adapter, ReturnType returned) {
		this(adapter, returned, AsynchronousTypes.mayTurnOut(returned.delivered()),
				adapter != null && CoroutineFlows.areOf(adapter.getReactiveType()));
	}

	static @Nullable LockedInvocation of(ReturnType returned) {
		if (returned.suspending()) {
			return new ReactiveInvocation(null, returned);
		}
		Class<?> type = returned.type();
		if (!mayBeReactive(type)) {
			return null;
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null && adapter.getReactiveType() == type && !CompletionStage.class.isAssignableFrom(type))
				? new ReactiveInvocation(adapter, returned) : null;
	}

	/**
	 * Return whether Spring may have an adapter for a type. To ask loads hundreds of
	 * classes of each reactive library: an application whose methods return nothing, text
	 * or records need not wait for that at its start.
	 */
	private static boolean mayBeReactive(Class<?> type) {
		boolean ofJava = type.getClassLoader() == null && !Flow.Publisher.class.isAssignableFrom(type);
		return !ofJava && !type.isRecord() && !type.isEnum() && !type.isArray();
	}

	@Override
	public Object invoke(AnnotatedCall call) {
		// each subscription runs the method again, when the invocation of this call has
		// ended
		AnnotatedCall kept = call.copy();
		// handle() gives the thread what the context has for it, such as the observation
		// that is the parent of those of the lock
		Flux<?> locked = Mono.deferContextual(Mono::just)
			.<Flux<?>>handle((context, sink) -> sink.next(locked(kept.copy(), context)))
			.flatMapMany((each) -> each);
		return asReturnType((this.adapter != null && this.adapter.isMultiValue()) ? locked : locked.singleOrEmpty());
	}

	@Override
	public boolean canSkip() {
		return (this.adapter != null) ? this.adapter.supportsEmpty() : this.returned.hasEmpty();
	}

	@Override
	public Object skipped() {
		return (this.adapter != null) ? asReturnType(Mono.empty())
				: Mono.justOrEmpty(ReturnType.empty(this.returned.type()));
	}

	private Object asReturnType(Publisher<?> publisher) {
		if (this.adapter == null) {
			return publisher;
		}
		Object adapted = this.adapter.fromPublisher(publisher);
		return this.flow ? CoroutineFlows.toCaller(adapted) : adapted;
	}

	private Flux<?> locked(AnnotatedCall call, ContextView context) {
		LockScope outer = LocksInReactorContext.onThread(context);
		CompletableFuture<LockHandle> acquired = LocksInReactorContext.toReenter(context).call(call::acquireAsync);
		AtomicReference<Stage> stage = new AtomicReference<>(Stage.ACQUIRING);
		Mono<Held> held = Mono.fromFuture(acquired)
			.flatMap((handle) -> Held.of(handle, call.rules().transaction()))
			.onErrorResume(LockException.class, (refusal) -> Mono.just(new Held(null, refusal)));
		return Flux
			.usingWhen(held,
					(each) -> stage.compareAndSet(Stage.ACQUIRING, Stage.RUNNING) ? body(call, each, outer)
							: Flux.empty(),
					Held::release, (each, failure) -> each.release(), Held::release)
			.doOnCancel(() -> {
				// Reactor cancels a wait that is under way; a lock that was acquired just
				// before the cancellation has no user and is released here
				if (stage.compareAndSet(Stage.ACQUIRING, Stage.CANCELLED)) {
					acquired.thenAccept(LockHandle::closeAsync);
				}
			});
	}

	private Flux<?> body(AnnotatedCall call, Held held, LockScope outer) {
		CallLocks locks = held.locks;
		if (locks == null) {
			return Flux
				.deferContextual((context) -> publisher(
						() -> call.otherwise(Objects.requireNonNull(held.refusal, "refusal")), null, context))
				.contextWrite(LocksInReactorContext::withoutCheck);
		}
		LockHandle handle = locks.handle();
		LockScope inner = outer.with(locks);
		if (this.adapter == null) {
			CoroutineLocks.putInto(call.invocation().getArguments(), inner.enclosing());
		}
		MethodBody method = () -> call.proceed(handle);
		Flux<?> body = Flux.deferContextual((context) -> new FluxUnderLocks<>(
				publisher(() -> inner.call(method), inner.enclosing(), context), inner, outer));
		if (this.mayGoOn) {
			body = body.doOnNext((value) -> AsynchronousTypes.requireEnded(value, call::method));
		}
		OnLost onLost = call.rules().onLost();
		if (onLost == OnLost.INTERRUPT) {
			// a failure of the other publisher would not cancel the work, so it
			// completes, and the check behind fails
			body = body.takeUntilOther(Mono.create((sink) -> handle.onLost((loss) -> sink.success())));
		}
		if (onLost != OnLost.REPORT) {
			body = body.concatWith(Mono.fromRunnable(handle::ensureHeld));
		}
		return body.contextWrite((context) -> LocksInReactorContext.put(context, inner, locks));
	}

	private Publisher<?> publisher(MethodBody method, @Nullable EnclosingLocks enclosing, ContextView context) {
		try {
			Object result = method.run();
			if (result == null) {
				return Mono.empty();
			}
			if (this.flow) {
				result = CoroutineFlows.inContextOfCollector(CoroutineLocks.putInto(result, enclosing), context);
			}
			if (this.adapter != null) {
				return this.adapter.toPublisher(result);
			}
			// a handler of contention gives the value itself
			return (result instanceof Publisher<?> publisher) ? publisher : Mono.just(result);
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private enum Stage {

		ACQUIRING, RUNNING, CANCELLED

	}

	/**
	 * What a subscription holds.
	 *
	 * @param locks the locks, {@code null} if they were not available
	 * @param refusal why they were not available
	 */
	private record Held(@Nullable CallLocks locks, @Nullable LockException refusal) {

		static Mono<Held> of(LockHandle handle, TransactionRules rules) {
			CallLocks locks = new CallLocks(handle, rules);
			if (!OptionalLibraries.TRANSACTIONS) {
				return Mono.just(new Held(locks, null));
			}
			return ReactiveTransactionLocks.keep(locks)
				.map((kept) -> new Held(kept, null))
				.doOnError((failure) -> handle.closeAsync());
		}

		Mono<Void> release() {
			CallLocks held = this.locks;
			return (held == null) ? Mono.empty() : Mono
				.defer(() -> held.isKept() ? Mono.empty() : Mono.fromFuture(held.handle().closeAsync()).then());
		}

	}

}
