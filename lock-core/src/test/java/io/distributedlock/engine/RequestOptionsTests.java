package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks without re-entry, and releases for which nobody waits.
 */
@Timeout(60)
class RequestOptionsTests {

	private static final LockRequest AT_ONCE = LockRequest.of("k").withWaitTime(Duration.ZERO);

	@Test
	void lockWithoutReentryIsNotEnteredAgain() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			LockHandle outlives = template.acquire(AT_ONCE.withReentrant(false));
			assertThat(template.tryAcquire(AT_ONCE)).as("the next task on this thread").isEmpty();
			outlives.close();
			try (LockHandle outer = template.acquire(AT_ONCE)) {
				assertThat(template.tryAcquire(AT_ONCE.withReentrant(false))).isEmpty();
				Optional<LockHandle> inner = template.tryAcquire(AT_ONCE);
				assertThat(inner).isPresent();
				inner.get().close();
				assertThat(outer.isValid()).isTrue();
			}
		}
	}

	@Test
	void asyncReleaseReturnsBeforeItsAnswer() throws Exception {
		HeldBackRelease provider = new HeldBackRelease();
		DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).asyncRelease(true).build();
		template.acquire(AT_ONCE).close();
		// this thread is here although the release has no answer
		assertThat(template.tryAcquire(AT_ONCE)).isEmpty();
		CompletableFuture<Void> closing = CompletableFuture.runAsync(template::close,
				(task) -> new Thread(task).start());
		provider.answer.complete(true);
		closing.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(provider.released).isCompleted();
	}

	/**
	 * Keeps the answer to a release back.
	 */
	private static final class HeldBackRelease implements LockProvider {

		private final LocalLockProvider provider = new LocalLockProvider();

		private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

		private final CompletableFuture<Boolean> released = new CompletableFuture<>();

		@Override
		public String name() {
			return "held-back";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return this.provider.capabilities();
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			return this.provider.tryAcquire(request)
				.thenApply((lease) -> (lease != null) ? new CommandLease(request.key(), lease.term(), lease::renew,
						() -> this.answer.thenCompose((go) -> lease.release()).whenComplete((had, failure) -> {
							this.released.complete(had);
						})) : null);
		}

	}

}
