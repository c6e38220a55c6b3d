package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A call for several locks waits for each of them no longer than its own wait time,
 * whatever the order of their keys.
 */
@Timeout(60)
class WaitTimesOfSeveralLocksTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.build();

	private LockHandle held;

	@BeforeEach
	void holdTheSecondKey() {
		this.held = OtherThread.call(() -> this.template.acquire("b"));
	}

	@AfterEach
	void close() {
		this.held.close();
		this.template.close();
	}

	@Test
	void shortWaitForTheSecondKeyIsNotMadeLongerByTheFirst() {
		LockRequest request = LockRequest.of("a")
			.withWaitTime(LONG)
			.and(LockRequest.of("b").withWaitTime(Duration.ZERO));
		assertThat(this.template.tryAcquire(request)).isEmpty();
		assertThat(this.template.tryAcquireAsync(request).join()).isEmpty();
	}

	@Test
	void longWaitForTheSecondKeyIsNotMadeShorterByTheFirst() {
		LockRequest request = LockRequest.of("a")
			.withWaitTime(Duration.ZERO)
			.and(LockRequest.of("b").withWaitTime(LONG));
		CompletableFuture<LockHandle> acquired = this.template.acquireAsync(request);
		this.held.close();
		try (LockHandle both = acquired.join()) {
			assertThat(both.parts()).hasSize(2);
		}
	}

	@Test
	void exceptionHasTheWaitTimeOfTheRequest() {
		Duration waitTime = Duration.ofMillis(50);
		LockRequest request = LockRequest.ofAll(List.of("a", "b")).withWaitTime(waitTime);
		assertThat(catchThrowableOfType(LockNotAcquiredException.class, () -> this.template.acquire(request))
			.getWaitTime()).isEqualTo(waitTime);
		CompletionException failure = catchThrowableOfType(CompletionException.class,
				() -> this.template.acquireAsync(request).join());
		assertThat(failure.getCause()).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(refusal) -> assertThat(refusal.getWaitTime()).isEqualTo(waitTime));
	}

}
