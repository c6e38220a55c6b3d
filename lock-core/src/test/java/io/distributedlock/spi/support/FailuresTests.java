package io.distributedlock.spi.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class FailuresTests {

	@Test
	void wrappersOfFuturesAreTakenOff() {
		IllegalStateException failure = new IllegalStateException("the failure", new IllegalArgumentException());
		assertThat(Failures.unwrap(failure)).isSameAs(failure);
		assertThat(Failures.unwrap(new CompletionException(failure))).isSameAs(failure);
		assertThat(Failures.unwrap(new ExecutionException(new CompletionException(failure)))).isSameAs(failure);
	}

	@Test
	void wrapperWithoutACauseStays() {
		CompletionException wrapper = new CompletionException("nothing inside", null);
		assertThat(Failures.unwrap(wrapper)).isSameAs(wrapper);
	}

	@Test
	void stageGoesOnAfterTheFailuresThatAreNamedOnly() {
		CompletableFuture<String> second = CompletableFuture.completedFuture("second");
		Predicate<Throwable> named = (failure) -> Failures.unwrap(failure) instanceof IllegalStateException;
		assertThat(Failures.orElse(CompletableFuture.completedFuture("first"), named, () -> second))
			.isCompletedWithValue("first");
		assertThat(Failures.orElse(CompletableFuture.failedFuture(new IllegalStateException()), named, () -> second))
			.isCompletedWithValue("second");
		IllegalArgumentException other = new IllegalArgumentException();
		assertThat(Failures.orElse(CompletableFuture.failedFuture(other), named, () -> second).toCompletableFuture())
			.isCompletedExceptionally()
			.failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCause(other);
	}

	@Test
	void causesThatNameEachOtherEnd() {
		IllegalStateException first = new IllegalStateException("first");
		first.initCause(new IllegalArgumentException("second", first));
		assertThat(Failures.causes(first)).startsWith(first, first.getCause()).hasSizeLessThan(1000);
		assertThat(Failures.ofConnection(first)).isEmpty();
	}

	@Test
	void failureThatCannotBePrintedIsToldByItsType() {
		RuntimeException unprintable = new RuntimeException() {

			@Override
			public String getMessage() {
				throw new IllegalStateException("the session is closed");
			}

		};
		Logger logger = LoggerFactory.getLogger("unprintable");
		assertThatNoException()
			.isThrownBy(() -> Failures.log(logger::error, "A step of {} failed", FailuresTests.class, unprintable));
	}

}
