package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockContext;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/**
 * A publisher whose blocking code finds the locks of its chain, as long as the chain
 * stays on the thread that subscribes to it or requests more. The subscriber is outside
 * of the lock and does not find them.
 *
 * @param <T> the type of the values
 */
final class FluxUnderLocks<T> extends Flux<T> {

	private final Publisher<T> source;

	private final LockScope inner;

	private final LockScope outer;

	FluxUnderLocks(Publisher<T> source, LockScope inner, LockScope outer) {
		this.source = source;
		this.inner = inner;
		this.outer = outer;
	}

	@Override
	public void subscribe(CoreSubscriber<? super T> subscriber) {
		this.inner.run(() -> this.source.subscribe(new Inside(subscriber)));
	}

	private final class Inside implements CoreSubscriber<T>, Subscription {

		private final CoreSubscriber<? super T> subscriber;

		private Subscription subscription = this;

		private Inside(CoreSubscriber<? super T> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public Context currentContext() {
			return this.subscriber.currentContext();
		}

		@Override
		public void onSubscribe(Subscription source) {
			this.subscription = source;
			outside(() -> this.subscriber.onSubscribe(this));
		}

		@Override
		public void onNext(T value) {
			outside(() -> this.subscriber.onNext(value));
		}

		@Override
		public void onError(Throwable failure) {
			outside(() -> this.subscriber.onError(failure));
		}

		@Override
		public void onComplete() {
			outside(this.subscriber::onComplete);
		}

		@Override
		public void request(long n) {
			FluxUnderLocks.this.inner.run(() -> this.subscription.request(n));
		}

		@Override
		public void cancel() {
			this.subscription.cancel();
		}

		private void outside(Runnable signal) {
			if (LockContext.capture() == FluxUnderLocks.this.inner.context()) {
				FluxUnderLocks.this.outer.run(signal);
			}
			else {
				signal.run();
			}
		}

	}

}
