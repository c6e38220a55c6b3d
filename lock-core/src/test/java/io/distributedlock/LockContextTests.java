package io.distributedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a thread knows of its locks.
 */
class LockContextTests {

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(new LocalLockProvider())
		.waitTime(Duration.ZERO)
		.build();

	@AfterEach
	void close() {
		this.template.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void currentIsTheInnermostThatIsOpen() {
		assertThatIllegalStateException().isThrownBy(LockContext::current).withMessageContaining("capture()");
		LockHandle outer = this.template.acquire("outer");
		LockHandle inner = this.template.acquire("inner");
		assertThat(LockContext.current()).isSameAs(inner);
		outer.close();
		assertThat(LockContext.current()).isSameAs(inner);
		inner.close();
	}

	@Test
	void otherThreadReentersOnlyWhatWasHandedOver() {
		try (LockHandle handle = this.template.acquire("k")) {
			assertThat(CompletableFuture.supplyAsync(LockContext::find).join()).isEmpty();
			assertThat(CompletableFuture.supplyAsync(() -> this.template.tryAcquire("k")).join()).isEmpty();
			LockContext context = LockContext.capture();
			assertThat(CompletableFuture.supplyAsync(context.wrap(() -> {
				assertThat(LockContext.current()).isSameAs(handle);
				try (LockHandle again = this.template.acquire("k")) {
					return again.fencingToken();
				}
			})).join()).isEqualTo(handle.fencingToken());
			assertThat(CompletableFuture.supplyAsync(LockContext::find).join()).isEmpty();
		}
	}

	@Test
	void lockThatWasReleasedElsewhereIsPassedOver() {
		LockHandle handle = this.template.acquire("k");
		LockContext context = LockContext.capture();
		CompletableFuture.runAsync(handle::close).join();
		assertThat(LockContext.find()).isEmpty();
		assertThat(context.handles()).isEmpty();
		this.template.acquire("k").close();
	}

	@Test
	void threadForgetsWhatOthersReleasedForIt() {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			handles.add(this.template.acquire("chain" + i));
			if (i > 0) {
				CompletableFuture.runAsync(handles.get(i - 1)::close).join();
			}
		}
		assertThat(LockContext.capture().depth()).isLessThan(200);
		handles.get(4999).close();
		assertThat(LockContext.capture().depth()).isZero();
	}

	@Test
	void threadForgetsWhatItNeverClosedAndHasLost() {
		LockRequest request = LockRequest.of("k").withLeaseTime(Duration.ofMillis(1));
		List<LockHandle> forgotten = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			forgotten.add(this.template.acquire(request.withWaitTime(Patience.LIMIT)));
		}
		assertThat(LockContext.capture().depth()).isLessThan(300);
		forgotten.forEach(LockHandle::close);
		assertThat(LockContext.capture().depth()).isZero();
	}

	@Test
	void lostLockStaysTheInnermostUntilItIsClosed() {
		LockHandle outer = this.template.acquire("outer");
		LockHandle lost = this.template
			.acquire(LockRequest.of("lost").withLeaseTime(Duration.ofMillis(300)).withWaitTime(Patience.LIMIT));
		Patience.await().until(() -> !lost.isValid());
		List<LockHandle> inner = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			inner.add(this.template.acquire("inner" + i));
		}
		inner.forEach(LockHandle::close);
		assertThat(LockContext.current()).isSameAs(lost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.current().ensureHeld());
		lost.close();
		assertThat(LockContext.current()).isSameAs(outer);
		outer.close();
	}

	@Test
	void oneThreadMayHoldManyLocks() {
		List<LockHandle> handles = IntStream.range(0, 2000).mapToObj((i) -> this.template.acquire("many" + i)).toList();
		handles.forEach(LockHandle::close);
		assertThat(LockContext.capture().depth()).isZero();
	}

	@Test
	void severalLocksAreOneHandle() {
		LockRequest request = LockRequest.ofAll(List.of("b", "a", "b")).and(LockRequest.of("c").withName("n"));
		try (LockHandle handle = this.template.acquire(request)) {
			assertThat(handle.parts()).extracting(LockHandle::key).containsExactly("a", "b", "n:c");
			assertThat(handle.fencingToken()).isEmpty();
			assertThat(LockContext.current()).isSameAs(handle);
			this.template.acquire("b").close();
			assertThat(CompletableFuture.supplyAsync(() -> this.template.tryAcquire("a")).join()).isEmpty();
		}
		assertThat(LockContext.find()).isEmpty();
		this.template.acquire("a").close();
	}

	@Test
	void whatTheCallerHoldsMayForbidALaterOneOfSeveral() {
		LockRequest several = LockRequest.ofAll(List.of("a", "b"));
		try (LockHandle reader = this.template.acquire(LockRequest.of("b").withType(LockType.READ))) {
			assertThat(this.template.acquireAsync(several.withType(LockType.WRITE))).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(IllegalStateException.class);
			assertThatIllegalStateException().isThrownBy(() -> this.template.acquire(several.withType(LockType.WRITE)));
			assertThat(reader.isValid()).isTrue();
		}
		this.template.acquire(LockRequest.of("a").withWaitTime(Duration.ofSeconds(5))).close();
	}

	@Test
	void whatWasTakenOfSeveralIsReleased() {
		CompletableFuture.supplyAsync(() -> this.template.acquire("b")).join();
		assertThat(this.template.tryAcquire(LockRequest.ofAll(List.of("a", "b", "c")))).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.ofAll(List.of("a", "b", "c"))))
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
		assertThat(this.template.tryAcquireAsync(LockRequest.ofAll(List.of("a", "b"))).join()).isEmpty();
		this.template.acquire(LockRequest.ofAll(List.of("a", "c"))).close();
	}

}
