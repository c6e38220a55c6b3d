package io.distributedlock.spring.internal.invocation;

import java.util.concurrent.CompletionStage;

import io.distributedlock.spring.internal.transaction.CallLocks;
import io.distributedlock.spring.internal.transaction.ReactiveTransactionLocks;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Adds the check before the commit to the publisher that a reactive method returns: there
 * it runs in the transaction of that method.
 */
final class ReactiveCommitCheck {

	private ReactiveCommitCheck() {
	}

	/**
	 * Add the check to the result of a method, if it is reactive.
	 */
	static Object apply(Object result) {
		ReactiveAdapter adapter = adapter(result);
		if (adapter == null || result instanceof CompletionStage) {
			return result;
		}
		return adapter.fromPublisher(adapter.isMultiValue()
				? Flux.deferContextual((context) -> check(context).thenMany(publisher(result, adapter, context))) : Mono
					.deferContextual((context) -> check(context).then(Mono.from(publisher(result, adapter, context)))));
	}

	/**
	 * Return the adapter for the class of a result. Spring's own choice for an object is
	 * that for publishers where the class is one, such as {@code Flowable}, and that
	 * gives a {@code Flux} back.
	 */
	private static @Nullable ReactiveAdapter adapter(Object result) {
		ReactiveAdapterRegistry registry = ReactiveAdapterRegistry.getSharedInstance();
		for (Class<?> type = result.getClass(); type != null; type = type.getSuperclass()) {
			ReactiveAdapter adapter = registry.getAdapter(type);
			if (adapter != null && adapter.getReactiveType() == type) {
				return adapter;
			}
		}
		return registry.getAdapter(null, result);
	}

	private static Publisher<?> publisher(Object result, ReactiveAdapter adapter, ContextView context) {
		return adapter.toPublisher(CoroutineFlows.areOf(adapter.getReactiveType())
				? CoroutineLocks.putInto(result, LocksInReactorContext.onThread(context).enclosing()) : result);
	}

	private static Mono<Void> check(ContextView context) {
		CallLocks locks = LocksInReactorContext.toCheck(context);
		return (locks != null) ? ReactiveTransactionLocks.checkOwn(locks) : Mono.empty();
	}

}
