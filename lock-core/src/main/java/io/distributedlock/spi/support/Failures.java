package io.distributedlock.spi.support;

import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What futures fail with. A future that follows another one wraps the failure of that in
 * a {@link CompletionException}, and {@link java.util.concurrent.Future#get()} wraps it
 * in an {@link ExecutionException}: neither says anything of its own. Thread-safe.
 *
 * @since 0.1
 */
public final class Failures {

	private static final int MOST_CAUSES = 100;

	private Failures() {
	}

	/**
	 * Return what ends a future as a stage has ended, for
	 * {@link CompletionStage#whenComplete}.
	 * @param <T> the type of the value
	 * @param future the future to end; a failure is told without its wrappers
	 * @return takes a value or a failure
	 */
	public static <T extends @Nullable Object> BiConsumer<T, @Nullable Throwable> settling(
			CompletableFuture<T> future) {
		return (value, failure) -> settle(future, value, failure);
	}

	/**
	 * End a future as a stage has ended.
	 * @param <T> the type of the value
	 * @param future the future to end; a failure is told without its wrappers
	 * @param value the value of the stage
	 * @param failure what the stage has failed with, {@code null} if it has not
	 */
	public static <T extends @Nullable Object> void settle(CompletableFuture<T> future, T value,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(unwrap(failure));
		}
		else {
			future.complete(value);
		}
	}

	/**
	 * Return a stage that ends as another one does, but fails with what a failure means.
	 * @param <T> the type of the value
	 * @param stage the other stage
	 * @param meaning says what a failure means
	 * @return the stage
	 */
	public static <T extends @Nullable Object> CompletionStage<T> translated(CompletionStage<T> stage,
			Function<Throwable, ? extends Throwable> meaning) {
		return stage.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(meaning.apply(failure)));
	}

	/**
	 * Return a stage that continues with a second stage if the first one fails with one
	 * of some failures.
	 * @param <T> the type of the value
	 * @param first the first stage
	 * @param failures tells with which failures; they may be inside the wrappers of
	 * futures
	 * @param second begins the second stage
	 * @return the stage
	 */
	public static <T extends @Nullable Object> CompletionStage<T> orElse(CompletionStage<T> first,
			Predicate<Throwable> failures, Supplier<? extends CompletionStage<T>> second) {
		return first.exceptionallyCompose(
				(failure) -> failures.test(failure) ? second.get() : CompletableFuture.failedFuture(failure));
	}

	/**
	 * Return the failure inside the wrappers of futures.
	 * @param failure what a future failed with
	 * @return the failure itself; the wrapper if it has no cause
	 */
	public static Throwable unwrap(Throwable failure) {
		Throwable unwrapped = failure;
		while ((unwrapped instanceof CompletionException || unwrapped instanceof ExecutionException)
				&& unwrapped.getCause() != null) {
			unwrapped = unwrapped.getCause();
		}
		return unwrapped;
	}

	/**
	 * Return a failure and its causes.
	 * @param failure the failure of a client
	 * @return the outermost first; ends also where causes name each other
	 */
	public static Stream<Throwable> causes(@Nullable Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MOST_CAUSES);
	}

	/**
	 * Return what the operating system says of a connection: what is wrong, and with most
	 * clients the address.
	 * @param failure the failure of a client
	 * @return the words in brackets, after a space; empty if there are none
	 */
	public static String ofConnection(@Nullable Throwable failure) {
		return causes(failure)
			.filter((cause) -> cause instanceof SocketException || cause instanceof UnknownHostException)
			.findFirst()
			.map((cause) -> " (" + cause.getMessage() + ")")
			.orElse("");
	}

	/**
	 * Log what code of others has thrown. It may throw again when it is to tell its
	 * message, and then is told by its type and its stack.
	 * @param log writes a message, such as {@code warnings::warn}
	 * @param message the message, as for {@link org.slf4j.Logger}
	 * @param argumentsAndFailure an argument for each place in the message, and the
	 * failure
	 */
	public static void log(BiConsumer<String, Object[]> log, String message, Object... argumentsAndFailure) {
		try {
			log.accept(message, argumentsAndFailure);
		}
		catch (Throwable ex) {
			Object[] printable = argumentsAndFailure.clone();
			int last = printable.length - 1;
			Throwable failure = (Throwable) printable[last];
			Throwable printed = new Throwable(failure.getClass().getName());
			printed.setStackTrace(failure.getStackTrace());
			printable[last] = printed;
			log.accept(message, printable);
		}
	}

}
