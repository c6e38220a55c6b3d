package io.distributedlock.spring.invocation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spring.returntype.AsynchronousTypes;
import io.distributedlock.spring.returntype.ReturnType;
import io.distributedlock.spring.support.MethodBody;
import io.distributedlock.spring.support.OptionalLibraries;
import io.distributedlock.spring.transaction.CallLocks;
import io.distributedlock.spring.transaction.LockRelease;
import io.distributedlock.spring.transaction.ReactiveTransactionLocks;
import io.distributedlock.spring.transaction.RunningLocks;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Takes the locks at each subscription to what the method returns, and holds them until
 * it completes, fails or is cancelled. No thread is blocked. A suspending function of
 * Kotlin comes as a {@code Mono}.
 */
final class ReactiveInvocation implements LockedInvocation {

	private final @Nullable ReactiveAdapter adapter;

	private final boolean multiValue;

	private final boolean flow;

	private final ReturnType returned;

	private final boolean mayGoOn;

	private ReactiveInvocation(@Nullable ReactiveAdapter adapter, ReturnType returned) {
		this.adapter = adapter;
		this.returned = returned;
		this.mayGoOn = AsynchronousTypes.mayTurnOut(returned.delivered());
		this.multiValue = adapter != null && adapter.isMultiValue();
		this.flow = adapter != null && CoroutineFlows.areOf(adapter.getReactiveType());
	}

	static @Nullable LockedInvocation of(ReturnType returned) {
		if (returned.suspending()) {
			return new ReactiveInvocation(null, returned);
		}
		Class<?> type = returned.type();
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null && adapter.getReactiveType() == type && !FutureInvocation.isStage(type))
				? new ReactiveInvocation(adapter, returned) : null;
	}

	@Override
	public Object invoke(LockCall call) {
		// each subscription proceeds anew, when the invocation of this call is long over
		LockCall kept = call.copy();
		Publisher<?> publisher = this.multiValue ? Flux.deferContextual((context) -> locked(kept.copy(), context))
				: Mono.deferContextual((context) -> locked(kept.copy(), context).singleOrEmpty());
		return asReturnType(publisher);
	}

	@Override
	public boolean canSkip() {
		return (this.adapter != null) ? this.adapter.supportsEmpty() : this.returned.nothing();
	}

	@Override
	public Object skipped() {
		return (this.adapter != null) ? asReturnType(Mono.empty())
				: Mono.justOrEmpty(ReturnType.nothing(this.returned.type()));
	}

	private Object asReturnType(Publisher<?> publisher) {
		if (this.adapter == null) {
			return publisher;
		}
		Object adapted = this.adapter.fromPublisher(publisher);
		return this.flow ? CoroutineFlows.withoutBuffer(adapted) : adapted;
	}

	private Flux<?> locked(LockCall call, ContextView context) {
		ThreadLocks outer = LockContexts.onThread(context);
		CompletableFuture<LockHandle> acquired = LockContexts.toReenter(context).call(call::acquireAsync);
		AtomicReference<Stage> stage = new AtomicReference<>(Stage.ACQUIRING);
		Mono<Held> held = Mono.fromFuture(acquired)
			.flatMap((handle) -> Held.of(handle, call.rules().release()))
			.onErrorResume(LockException.class, (refusal) -> Mono.just(new Held(null, refusal)));
		return Flux
			.usingWhen(held,
					(each) -> stage.compareAndSet(Stage.ACQUIRING, Stage.RUNNING) ? body(call, each, outer)
							: Flux.empty(),
					Held::release, (each, failure) -> each.release(), Held::release)
			.doOnCancel(() -> {
				// what still waits is cancelled from here on upwards; a lock that came a
				// moment ago is nobody's
				if (stage.compareAndSet(Stage.ACQUIRING, Stage.CANCELLED)) {
					acquired.thenAccept(LockHandle::closeAsync);
				}
			});
	}

	private Flux<?> body(LockCall call, Held held, ThreadLocks outer) {
		CallLocks locks = held.locks;
		if (locks == null) {
			return Flux.defer(() -> publisher(() -> call.otherwise(held.requiredRefusal()), null))
				.contextWrite(LockContexts::withoutCheck);
		}
		LockHandle handle = locks.handle();
		ThreadLocks inner = outer.with(locks);
		if (this.adapter == null) {
			CoroutineLocks.putInto(call.arguments(), inner.running());
		}
		MethodBody method = () -> call.proceed(handle);
		Flux<?> body = Flux
			.defer(() -> new LocksOnThread<>(publisher(() -> inner.call(method), inner.running()), inner, outer));
		if (this.mayGoOn) {
			body = body.doOnNext((value) -> AsynchronousTypes.requireEnded(value, call::method));
		}
		OnLost onLost = call.rules().onLost();
		if (onLost == OnLost.INTERRUPT) {
			// a companion that fails would not cancel the body: it ends, and the check
			// behind fails
			body = body.takeUntilOther(Mono.create((sink) -> handle.onLost((loss) -> sink.success())));
		}
		if (onLost != OnLost.REPORT) {
			body = body.concatWith(Mono.fromRunnable(handle::ensureHeld));
		}
		return body.contextWrite((context) -> LockContexts.put(context, inner, locks));
	}

	private Publisher<?> publisher(MethodBody method, @Nullable RunningLocks running) {
		try {
			Object result = method.run();
			if (result == null) {
				return Mono.empty();
			}
			if (this.flow) {
				result = CoroutineLocks.putInto(result, running);
			}
			return (this.adapter != null) ? this.adapter.toPublisher(result) : (Publisher<?>) result;
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
	 * @param refusal why not
	 */
	private record Held(@Nullable CallLocks locks, @Nullable LockException refusal) {

		static Mono<Held> of(LockHandle handle, LockRelease release) {
			CallLocks locks = new CallLocks(handle, release);
			if (!OptionalLibraries.TRANSACTIONS) {
				return Mono.just(new Held(locks, null));
			}
			return ReactiveTransactionLocks.keep(locks)
				.map((kept) -> new Held(kept, null))
				.doOnError((failure) -> handle.closeAsync());
		}

		LockException requiredRefusal() {
			if (this.refusal == null) {
				throw new IllegalStateException("There is a lock");
			}
			return this.refusal;
		}

		Mono<Void> release() {
			CallLocks held = this.locks;
			return (held == null) ? Mono.empty() : Mono
				.defer(() -> held.isKept() ? Mono.empty() : Mono.fromFuture(held.handle().closeAsync()).then());
		}

	}

}
