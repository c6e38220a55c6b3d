package io.distributedlock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.Backends.ForcedRelease;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Whatever a provider does when it is asked for owners, the caller gets an answer in
 * time, and no lease stays behind.
 */
class BackendsTests {

	private static final LockOwner OWNER = new LockOwner("id", LockType.EXCLUSIVE, Duration.ofSeconds(9));

	@Test
	void providerWithoutOwnersSaysSo() {
		LockProvider plain = new LockProvider() {

			@Override
			public String name() {
				return "plain";
			}

			@Override
			public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
				return CompletableFuture.completedFuture(null);
			}

		};
		try (DefaultLockTemplate template = template(plain)) {
			assertThat(template.backends().owners("plain", "k")).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(UnsupportedOperationException.class)
				.withMessageContaining("'plain' cannot tell who has a key");
			assertThat(template.backends().forceRelease("plain", "k", OWNER)).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(UnsupportedOperationException.class);
			assertThatIllegalArgumentException().isThrownBy(() -> template.backends().owners("redis", "k"))
				.withMessageContaining("plain");
		}
	}

	@Test
	void badAnswersFailInTime() {
		CountDownLatch blocked = new CountDownLatch(1);
		List<Supplier<CompletionStage<List<LockOwner>>>> bad = List.of(CompletableFuture::new,
				() -> CompletableFuture.completedFuture(null), () -> null, () -> {
					throw new AssertionError("a provider that is broken");
				}, () -> CompletableFuture.failedFuture(new BackendException("down", true, null)), () -> {
					try {
						blocked.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
					return new CompletableFuture<>();
				});
		for (Supplier<CompletionStage<List<LockOwner>>> answer : bad) {
			try (DefaultLockTemplate template = template(new Owners(answer, CompletableFuture::new),
					Duration.ofMillis(100))) {
				assertThat(template.backends().owners("custom", "k")).failsWithin(Patience.LIMIT);
				assertThat(template.backends().forceRelease("custom", "k", OWNER)).failsWithin(Patience.LIMIT);
			}
		}
		blocked.countDown();
	}

	@Test
	void nullAmongTheOwnersIsAFaultOfTheProvider() {
		Owners provider = new Owners(() -> CompletableFuture.completedFuture(Arrays.asList(OWNER, null)),
				CompletableFuture::new);
		try (DefaultLockTemplate template = template(provider)) {
			assertThat(template.backends().owners("custom", "k")).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(BackendException.class)
				.withMessageContaining("'custom' returned null instead of an owner");
		}
	}

	@Test
	void closedTemplateSaysSoAtOnce() {
		Owners provider = new Owners(CompletableFuture::new, CompletableFuture::new);
		DefaultLockTemplate template = template(provider);
		CompletableFuture<?> askedBefore = template.backends().owners("custom", "k");
		template.close();
		Backends closed = template.backends();
		List<CompletableFuture<?>> askedAfter = List.of(closed.ping("custom"), closed.owners("custom", "k"),
				closed.forceRelease("custom", "k", OWNER));
		assertThat(askedAfter).allMatch(CompletableFuture::isDone);
		askedAfter.forEach((each) -> assertThat(each).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("template is closed"));
		// it was asked, so nobody knows what the backend has done
		assertThat(askedBefore).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("may have carried out");
	}

	@Test
	void failureToGetTheNextTokenIsNoFailureOfTheRelease() {
		Owners provider = new Owners(() -> CompletableFuture.completedFuture(List.of(OWNER)),
				() -> CompletableFuture.completedFuture(true));
		try (DefaultLockTemplate template = template(provider)) {
			assertThat(template.backends().forceRelease("custom", "k", OWNER)).succeedsWithin(Patience.LIMIT)
				.satisfies((done) -> {
					assertThat(done.released()).isTrue();
					assertThat(done.fencingToken()).isEmpty();
				});
		}
	}

	@Test
	void nullDoesNotMeanThatNothingWasChanged() {
		Owners provider = new Owners(CompletableFuture::new, () -> CompletableFuture.completedFuture(null));
		try (DefaultLockTemplate template = template(provider)) {
			assertThat(template.backends().forceRelease("custom", "k", OWNER)).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(BackendException.class);
		}
	}

	@Test
	void nextTokenLeavesTheKeyFree() {
		LocalLockProvider local = new LocalLockProvider();
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(local).build();
				LockHandle handle = template.acquire(LockRequest.of("k"))) {
			String key = template.fullKeys(LockRequest.of("k")).get(0);
			LockOwner owner = template.backends().owners("local", key).join().get(0);
			ForcedRelease done = template.backends().forceRelease("local", key, owner).join();
			assertThat(done.fencingToken().orElseThrow()).isGreaterThan(handle.fencingToken().orElseThrow());
			assertThat(template.backends().owners("local", key)).succeedsWithin(Patience.LIMIT).isEqualTo(List.of());
		}
	}

	private static DefaultLockTemplate template(LockProvider provider) {
		return template(provider, Patience.LIMIT);
	}

	private static DefaultLockTemplate template(LockProvider provider, Duration commandTimeout) {
		return DefaultLockTemplate.builder().provider(provider).commandTimeout(commandTimeout).build();
	}

	/**
	 * Has tokens, but grants nothing.
	 */
	private record Owners(Supplier<CompletionStage<List<LockOwner>>> owners,
			Supplier<CompletionStage<Boolean>> revoked) implements LockProvider, LockOwners {

		@Override
		public String name() {
			return "custom";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return Set.of(LockCapability.FENCING);
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			throw new IllegalStateException("a provider that is broken");
		}

		@Override
		public CompletionStage<List<LockOwner>> owners(String key) {
			return this.owners.get();
		}

		@Override
		public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
			return this.revoked.get();
		}

	}

}
