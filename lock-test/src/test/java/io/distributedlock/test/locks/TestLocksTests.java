package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static io.distributedlock.test.patience.Patience.await;

class TestLocksTests {

	private final TestLocks locks = TestLocks.create((builder) -> builder.keyPrefix("shop:lock"));

	private final LockTemplate template = this.locks.template();

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void knowsWhatIsHeldAndWhatWas() {
		LockRequest named = LockRequest.of("42").withName("order");
		this.template.execute(named, () -> {
			assertThat(this.locks).isHeld("order:42").isNotHeld("order:43");
			LockAssertions.assertThat(this.locks).isHeld("order:42");
			this.template.execute("stock", () -> assertThat(this.locks).isHeld("stock"));
			assertThat(this.locks.held()).containsExactly("order:42");
		});
		this.template.execute(named, () -> {
		});
		assertThat(this.locks).hasNothingHeld()
			.isNotHeld("order:42")
			.wasAcquired("stock")
			.wasAcquiredTimes("order:42", 2)
			.wasNeverAcquired("order:43");
	}

	@Test
	void keyStandsForThatOfEachTemplate() {
		try (TestLocks several = new TestLocks()) {
			List<DefaultLockTemplate> templates = List.of(withPrefix("shop", several), withPrefix("shop:eu", several));
			for (DefaultLockTemplate each : templates) {
				each.execute("k", () -> {
					assertThat(several).isHeld("k");
					assertThat(several.held()).containsExactly("k");
				});
				Contention other = several.contend("k");
				assertThat(each.tryAcquire("k")).isEmpty();
				CompletableFuture<LockHandle> waiting = each.acquireAsync(LockRequest.of("k"));
				await().untilAsserted(() -> assertThat(several).isWaitedFor("k"));
				other.release();
				assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
				several.contend(LockRequest.of("k"));
				assertThat(each.tryAcquire("k")).isEmpty();
				several.release();
			}
			assertThat(several).hasNothingHeld().wasAcquiredTimes("k", 4);
			assertThat(several.template()).isSameAs(templates.get(1));
		}
	}

	private static DefaultLockTemplate withPrefix(String prefix, TestLocks locks) {
		LockProvider local = new LocalLockProvider();
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(locks.provider(local.name(), local.capabilities(), local.leaseLimits()))
			.keyPrefix(prefix);
		locks.customize(builder);
		DefaultLockTemplate template = builder.build();
		locks.use(template);
		return template;
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "a+b%", "ünï", "a/{b}", "." })
	void keyIsShownAsItWasWritten(String key) {
		this.template.execute(LockRequest.of(key).withName("na:me"), () -> {
			assertThat(this.locks).isHeld("na:me:" + key);
			assertThat(this.locks.held()).containsExactly("na:me:" + key);
		});
	}

	@Test
	void fullKeyOfAnotherLayoutIsWrittenAsItIs() {
		LockRequest exact = LockRequest.ofExactKey("{tenant}:订单 42").withWaitTime(Duration.ZERO);
		this.template.execute(exact, () -> {
			assertThat(this.locks).isHeld("{tenant}:订单 42");
			assertThat(this.locks.held()).containsExactly("{tenant}:订单 42");
		});
		this.locks.contend("{tenant}:订单 42");
		assertThat(this.template.tryAcquire(exact)).isEmpty();
		LockKeyLayout layout = (prefix, name, key) -> "lock4j:" + name + "#" + Long.parseLong(key);
		try (TestLocks other = TestLocks.create((builder) -> builder.keyLayout(layout))) {
			other.template().execute(LockRequest.of("42").withName("order"), () -> {
				assertThat(other).isHeld("order:42").isHeld("lock4j:order#42").isNotHeld("order:43");
				assertThat(other.held()).containsExactly("lock4j:order#42");
			});
		}
	}

	@Test
	void lockWithANameAndNoKeyIsWrittenAsItsName() {
		this.template.execute(LockRequest.ofName("nightly report"), () -> {
			assertThat(this.locks).isHeld("nightly report");
			assertThat(this.locks.held()).containsExactly("nightly report");
		});
	}

	@Test
	void waitThatHasBegunIsSkipped() {
		Contention other = this.locks.contend("k");
		CompletableFuture<LockHandle> call = this.template
			.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofMinutes(10)));
		await().untilAsserted(() -> assertThat(this.locks).isWaitedFor("k"));
		other.skipWaits();
		assertThat(call).failsWithin(Patience.LIMIT);
	}

	/**
	 * The application lets another node take keys as soon as it has its own.
	 */
	@Test
	void contentionThatBeginsDuringAReleaseIsNotForgotten() {
		List<String> taken = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Void>> calls = new ArrayList<>();
		for (String key : List.of("a", "b", "c", "d", "e", "f")) {
			this.locks.contend(key);
			calls.add(this.template.acquireAsync(LockRequest.of(key).withWaitTime(Patience.LIMIT))
				.thenAccept((handle) -> {
					for (int i = 0; i < 5; i++) {
						this.locks.contend(key + i);
						taken.add(key + i);
					}
					handle.close();
				}));
			await().untilAsserted(() -> assertThat(this.locks).isWaitedFor(key));
		}
		this.locks.release();
		calls.forEach((call) -> assertThat(call).succeedsWithin(Patience.LIMIT));
		this.locks.release();
		assertThat(taken).hasSize(30)
			.allSatisfy((key) -> this.template.acquire(LockRequest.of(key).withWaitTime(Duration.ZERO)).close());
	}

	@Test
	void otherNodeCannotHaveAllPermitsWhileTheApplicationHasOne() {
		LockHandle permit = this.template.acquire(LockRequest.of("k").withPermits(2));
		assertThatIllegalStateException().isThrownBy(() -> this.locks.contend("k"));
		permit.close();
		this.locks.contend("k").release();
	}

	@Test
	void longKeyIsFound() {
		String key = "x".repeat(300);
		this.template.execute(key, () -> assertThat(this.locks).isHeld(key));
	}

	@Test
	void failureSaysWhatIsHeldInstead() {
		this.template.execute("order:43", () -> {
			assertFailure(() -> assertThat(this.locks).isHeld("order:42"), "'order:42'", "[order:43]");
			assertFailure(() -> assertThat(this.locks).isNotHeld("order:43"), "not to hold", "'order:43'");
			assertFailure(() -> assertThat(this.locks).hasNothingHeld(), "[order:43]");
		});
		assertFailure(() -> assertThat(this.locks).wasAcquired("order:42"), "'order:42'", "[order:43]");
		assertFailure(() -> assertThat(this.locks).wasNeverAcquired("order:43"), "0 times", "acquired it 1 times");
		assertFailure(() -> assertThat(this.locks).isWaitedFor("order:43"), "'order:43'");
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void contendedLockIsNotAcquired(LockType type) {
		LockRequest request = LockRequest.of("42").withName("order").withWaitTime(Duration.ZERO);
		LockRequest typed = (type == LockType.SEMAPHORE) ? request.withPermits(3) : request.withType(type);
		try (Contention other = this.locks.contend("order:42")) {
			assertThat(this.template.tryAcquire(typed)).isEmpty();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(typed));
			assertThat(this.locks).isNotHeld("order:42");
			other.release();
			this.template.acquire(typed).close();
		}
		assertThat(this.locks).wasAcquiredTimes("order:42", 1);
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "EXCLUSIVE", "FAIR" })
	void waiterGetsTheLockWhenTheOtherNodeReleasesIt(LockType type) {
		this.locks.contend("order:42");
		CompletableFuture<LockHandle> waiting = this.template
			.acquireAsync(LockRequest.of("order:42").withType(type).withWaitTime(Duration.ofMinutes(1)));
		await().untilAsserted(() -> assertThat(this.locks).isWaitedFor("order:42"));
		assertThat(waiting).isNotDone();
		this.locks.release();
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		await().untilAsserted(() -> assertThat(this.locks.isWaitedFor("order:42")).isFalse());
	}

	@Test
	void waitOfAContendedCallPasses() {
		this.locks.contend(LockRequest.of("42").withName("order"));
		CompletableFuture<LockHandle> waiting = this.template
			.acquireAsync(LockRequest.of("42").withName("order").withWaitTime(Duration.ofMinutes(10)));
		this.locks.advance(Duration.ofMinutes(10));
		assertThat(waiting).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void waitForAContendedLockIsSkipped() {
		Contention other = this.locks.contend("order:42").skipWaits();
		LockRequest request = LockRequest.of("order:42").withWaitTime(Duration.ofMinutes(2));
		long before = System.nanoTime();
		try (LockHandle renewed = this.template.acquire("stock")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(request));
			assertThat(this.template.tryAcquire(request)).isEmpty();
			renewed.ensureHeld();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofMinutes(1));
		other.release();
		this.template.acquire(request).close();
	}

	@Test
	void waitsOfManyCallsAreSkippedTogether() {
		List<CompletableFuture<LockHandle>> calls = new ArrayList<>();
		for (String key : List.of("a", "b", "c", "d")) {
			this.locks.contend(key).skipWaits();
			calls.add(this.template.acquireAsync(LockRequest.of(key).withWaitTime(Duration.ofMinutes(2))));
		}
		for (CompletableFuture<LockHandle> call : calls) {
			assertThat(call).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
		}
	}

	@Test
	void callOfTheSameApplicationIsSeenToWait() {
		LockHandle handle = this.template.acquire("a");
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(LockRequest.of("a").withReentrant(false));
		await().untilAsserted(() -> assertThat(this.locks).isWaitedFor("a"));
		handle.close();
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		await().untilAsserted(() -> assertThat(this.locks.isWaitedFor("a")).isFalse());
		assertThat(this.locks).wasAcquiredTimes("a", 2);
	}

	@Test
	void heldLockCannotBeContended() {
		this.template.execute("a", () -> {
			assertThatIllegalStateException().isThrownBy(() -> this.locks.contend("a"))
				.withMessageContaining("'a'")
				.withMessageContaining("expire");
		});
		this.locks.contend("a").close();
	}

	@Test
	void expiredLockIsLost() {
		AtomicInteger losses = new AtomicInteger();
		try (LockHandle handle = this.template.acquire("order:42")) {
			handle.onLost((loss) -> losses.incrementAndGet());
			this.locks.expire("order:42");
			assertThat(losses).hasValue(1);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld);
			assertThat(this.locks).hasNothingHeld();
			this.locks.contend("order:42");
		}
	}

	@Test
	void onlyAHeldLockExpires() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.expire("order:42"))
			.withMessageContaining("'order:42'")
			.withMessageContaining("does not hold");
	}

	@Test
	void outageFailsCallsAtOnceAndEnds() {
		this.locks.unavailable();
		long before = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("a"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.of("a").withType(LockType.FAIR)));
		// less than one of them would wait
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
		this.locks.available();
		this.template.acquire("a").close();
	}

	@Test
	void pingFailsDuringAnOutage() {
		DefaultLockTemplate asked = (DefaultLockTemplate) this.template;
		assertThat(asked.backends().ping("local")).succeedsWithin(Patience.LIMIT);
		this.locks.unavailable();
		assertThat(asked.backends().ping("local")).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(BackendException.class);
		this.locks.available();
		assertThat(asked.backends().ping("local")).succeedsWithin(Patience.LIMIT);
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "EXCLUSIVE", "FAIR" })
	void waiterNoticesAnOutage(LockType type) {
		this.locks.contend("a");
		CompletableFuture<LockHandle> waiting = this.template
			.acquireAsync(LockRequest.of("a").withType(type).withWaitTime(Duration.ofMinutes(5)));
		await().untilAsserted(() -> assertThat(this.locks).isWaitedFor("a"));
		this.locks.unavailable();
		assertThat(waiting).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	void holderLosesItsLockInALongOutage() {
		AtomicInteger losses = new AtomicInteger();
		LockHandle handle = this.template.acquire("a");
		handle.onLost((loss) -> losses.incrementAndGet());
		this.locks.unavailable();
		this.locks.advance(Duration.ofSeconds(20));
		assertThat(handle.isValid()).isTrue();
		this.locks.advance(Duration.ofSeconds(20));
		assertThat(handle.isValid()).isFalse();
		assertThat(losses).hasValue(1);
	}

	@Test
	void unknownProviderIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.unavailable("redis"))
			.withMessageContaining("'redis'")
			.withMessageContaining("[local]");
		this.locks.unavailable("local");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("a"));
	}

	@Test
	void timePassesForLeases() {
		LockHandle ends = this.template.acquire(LockRequest.of("a").withLeaseTime(Duration.ofMinutes(1)));
		try (LockHandle renewed = this.template.acquire("b")) {
			this.locks.advance(Duration.ofMinutes(10));
			assertThat(ends.isValid()).isFalse();
			assertThat(renewed.isValid()).isTrue();
			assertThat(this.locks.held()).isEqualTo(Set.of("b"));
		}
	}

	@Test
	void resetEndsWhatTheTestLeft() {
		LockHandle before = this.template.acquire("leader");
		this.locks.begin();
		LockHandle left = this.template.acquire("left");
		this.locks.contend("order:42");
		this.locks.unavailable();
		this.locks.reset();
		assertThat(this.locks.held()).containsExactly("leader");
		assertThat(List.of(before.isValid(), left.isValid())).containsExactly(true, false);
		assertThat(this.locks).wasNeverAcquired("left");
		this.template.acquire("order:42").close();
		before.close();
	}

	@Test
	void locksWithoutATemplateSaySo() {
		try (TestLocks unused = new TestLocks()) {
			assertThatIllegalStateException().isThrownBy(() -> unused.isHeld("a"))
				.withMessageContaining("@AutoConfigureTestLocks");
		}
	}

	private static void assertFailure(Runnable assertion, String... parts) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion::run)
			.satisfies((failure) -> assertThat(failure.getMessage()).contains(parts));
	}

}
