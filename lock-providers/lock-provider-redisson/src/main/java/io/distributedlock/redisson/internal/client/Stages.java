package io.distributedlock.redisson.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An operation that {@link CompletionStage} does not have.
 */
public final class Stages {

	private Stages() {
	}

	/**
	 * Return a stage that continues with a second stage if the first one fails with one
	 * of some failures.
	 */
	public static <T> CompletionStage<T> orElse(CompletionStage<T> first, Predicate<Throwable> failures,
			Supplier<CompletionStage<T>> second) {
		return first.exceptionallyCompose(
				(failure) -> failures.test(failure) ? second.get() : CompletableFuture.failedFuture(failure));
	}

}
