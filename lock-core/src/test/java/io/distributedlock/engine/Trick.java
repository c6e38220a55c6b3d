package io.distributedlock.engine;

import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;

/**
 * What a provider does instead of what it should.
 *
 * @param <T> what the call returns
 */
@FunctionalInterface
public interface Trick<T> {

	/**
	 * Answer a call.
	 * @param properly does what the provider should do
	 */
	T play(Supplier<T> properly) throws Throwable;

	static <T> Trick<T> throwing(Supplier<? extends Throwable> failure) {
		return (properly) -> {
			throw failure.get();
		};
	}

	/**
	 * Throw what a class that is missing in the application throws.
	 */
	static <T> Trick<T> throwingError() {
		return throwing(() -> new NoClassDefFoundError("com/example/client/Codec"));
	}

	static <T> Trick<T> returningNull() {
		return (properly) -> null;
	}

	static <T> Trick<CompletionStage<T>> never() {
		return (properly) -> new CompletableFuture<>();
	}

	static <T> Trick<CompletionStage<T>> failing(Supplier<? extends Throwable> failure) {
		return (properly) -> CompletableFuture.failedFuture(failure.get());
	}

	static <T> Trick<CompletionStage<T>> refusing() {
		return failing(() -> new BackendException("credentials refused", false, null));
	}

	static <T> Trick<CompletionStage<T>> answering(T value) {
		return (properly) -> CompletableFuture.completedFuture(value);
	}

	/**
	 * The backend does it, and the answer is lost.
	 */
	static <T> Trick<CompletionStage<T>> losingTheAnswer() {
		return (properly) -> properly.get().thenCompose((lost) -> new CompletableFuture<>());
	}

	/**
	 * The backend does it once the future is complete, on the thread that completes it.
	 */
	static <T> Trick<CompletionStage<T>> late(CompletableFuture<?> opened) {
		return (properly) -> opened.thenCompose((ignored) -> properly.get());
	}

	/**
	 * The backend does it, and answers on a thread of the client.
	 */
	static <T> Trick<CompletionStage<T>> on(Executor client) {
		return (properly) -> CompletableFuture.supplyAsync(properly, client).thenCompose((answer) -> answer);
	}

	/**
	 * Keep the caller until the latch is open.
	 */
	static <T> Trick<T> blocking(CountDownLatch latch) {
		return (properly) -> {
			awaitUninterruptibly(latch);
			return properly.get();
		};
	}

	/**
	 * Tell who listens to the answer twice.
	 */
	static <T> Trick<CompletionStage<T>> twice() {
		return (properly) -> {
			CompletableFuture<T> twice = new CompletableFuture<>() {
				@Override
				public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> action) {
					super.whenComplete(action);
					return super.whenComplete(action);
				}
			};
			properly.get().thenAccept(twice::complete);
			return twice;
		};
	}

	/**
	 * Play a trick where no exception is declared: a client may throw what it likes.
	 */
	static <T> T asked(Trick<T> trick, Supplier<T> properly) {
		try {
			return trick.play(properly);
		}
		catch (Throwable ex) {
			throw Trick.<RuntimeException>asIs(ex);
		}
	}

	@SuppressWarnings({ "TypeParameterUnusedInFormals", "unchecked" })
	private static <E extends Throwable> E asIs(Throwable ex) throws E {
		throw (E) ex;
	}

	static void awaitUninterruptibly(CountDownLatch latch) {
		while (true) {
			try {
				latch.await();
				return;
			}
			catch (InterruptedException ex) {
				// as the least considerate of clients
			}
		}
	}

	/**
	 * What is played at each call of one method: what is queued first, and then always
	 * the same.
	 *
	 * @param <T> what the method returns
	 */
	final class Script<T> {

		private final Deque<Trick<T>> queued = new ConcurrentLinkedDeque<>();

		private final AtomicInteger calls = new AtomicInteger();

		private volatile Trick<T> usual = Supplier::get;

		public void next(Trick<T> trick) {
			this.queued.add(trick);
		}

		public void always(Trick<T> trick) {
			this.usual = trick;
		}

		public void behave() {
			this.queued.clear();
			this.usual = Supplier::get;
		}

		public int calls() {
			return this.calls.get();
		}

		T play(Supplier<T> properly) {
			this.calls.incrementAndGet();
			Trick<T> next = this.queued.poll();
			return asked((next != null) ? next : this.usual, properly);
		}

	}

}
