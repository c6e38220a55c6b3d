package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Has the lease checked before the commit of a reactive transaction that a locked method
 * starts.
 */
final class ReactiveCommitCheck {

	private ReactiveCommitCheck() {
	}

	/**
	 * Add the check to what a method has returned, if it is reactive.
	 */
	static Object apply(Object result) {
		if (result instanceof Mono<?> mono) {
			return Mono.deferContextual((context) -> check(context).then(mono));
		}
		if (result instanceof Flux<?> flux) {
			return Flux.deferContextual((context) -> check(context).thenMany(flux));
		}
		return result;
	}

	private static Mono<Boolean> check(ContextView context) {
		LockHandle handle = LockContexts.toCheck(context);
		return (handle != null) ? ReactiveTransactionLocks.verifyBeforeCommit(handle) : Mono.just(false);
	}

}
