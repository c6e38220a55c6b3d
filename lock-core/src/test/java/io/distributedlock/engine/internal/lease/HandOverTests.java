package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static io.distributedlock.test.patience.Patience.await;

/**
 * How a lock passes from caller to caller of one JVM.
 */
@Timeout(60)
class HandOverTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private final BlockProvider provider = new BlockProvider();

	private DefaultLockTemplate template = template(Duration.ofHours(1), 1000);

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void nextCallerGetsTheLockWithoutARequest() throws Exception {
		LockHandle first = contended(request());
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		CompletableFuture<LockHandle> third = this.template.acquireAsync(request());
		int requests = this.provider.requests.get();
		long token = first.fencingToken().orElseThrow();
		first.close();
		LockHandle next = get(second);
		assertThat(third).isNotDone();
		assertThat(first.isValid()).isFalse();
		assertThat(next.isValid()).isTrue();
		next.close();
		LockHandle last = get(third);
		assertThat(next.fencingToken()).hasValue(token + 1);
		assertThat(last.fencingToken()).hasValue(token + 2);
		assertThat(this.provider.requests).hasValue(requests);
		last.close();
		assertThat(this.provider.held).hasValue(0);
	}

	@Test
	void lockThatOthersWaitForIsReleasedAfterTheWindow() throws Exception {
		this.template.close();
		this.template = template(Duration.ofNanos(1), 1000);
		LockHandle first = contended(request());
		int grants = this.provider.grants.get();
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + 1);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 1", "PT1H, 0", "P-1D, 1", "P1000000000D, 0" })
	void windowFitsTheTimeOfAHandOver(Duration handOverTime, int releases) throws Exception {
		this.template.close();
		this.template = template(null, 1000);
		this.provider.handOverTime = handOverTime;
		LockHandle first = contended(request());
		long leastWindowEnds = System.nanoTime() + 4_000_000;
		int grants = this.provider.grants.get();
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		await().until(() -> System.nanoTime() - leastWindowEnds > 0);
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + releases);
	}

	@Test
	void lockThatNobodyElseWaitsForIsPassedOnWithoutLimit() throws Exception {
		this.template.close();
		this.template = template(Duration.ofNanos(1), 1);
		this.provider.awaited = false;
		LockHandle first = contended(request());
		int grants = this.provider.grants.get();
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants);
	}

	@Test
	void lockIsReleasedAfterTheWindowIfOthersMayPoll() throws Exception {
		this.template.close();
		this.template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(Patience.LIMIT)
			.handOverWindow(Duration.ofNanos(1))
			.interopPolling(Duration.ofMillis(20))
			.build();
		this.provider.awaited = false;
		LockHandle first = contended(request());
		int grants = this.provider.grants.get();
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + 1);
	}

	@Test
	void lockIsReleasedWhenItsTokensAreUsedUp() throws Exception {
		this.provider.mostTokens = 2;
		LockHandle first = contended(request());
		int grants = this.provider.grants.get();
		List<CompletableFuture<LockHandle>> others = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			others.add(this.template.acquireAsync(request()));
		}
		long token = first.fencingToken().orElseThrow();
		first.close();
		for (CompletableFuture<LockHandle> other : others) {
			LockHandle handle = get(other);
			assertThat(handle.fencingToken().orElseThrow()).isGreaterThan(token);
			token = handle.fencingToken().orElseThrow();
			handle.close();
		}
		assertThat(this.provider.grants).hasValue(grants + 2);
	}

	@Test
	void twiceAsManyTokensAreAskedForAsTheLeaseBeforeHadHolders() throws Exception {
		LockHandle first = contended(request());
		List<CompletableFuture<LockHandle>> others = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			others.add(this.template.acquireAsync(request()));
		}
		first.close();
		for (CompletableFuture<LockHandle> other : others) {
			get(other).close();
		}
		// the call that did not wait, eight holders, and the ninth
		assertThat(this.provider.tokens).hasValue(1 + 8 + 16);
	}

	@Test
	void lossIsReportedToTheOneWhoHasTheLock() throws Exception {
		LockHandle first = contended(request());
		AtomicInteger losses = new AtomicInteger();
		first.onLost((loss) -> losses.incrementAndGet());
		Lease.LossSignal signal = this.provider.signal;
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		first.close();
		LockHandle next = get(second);
		CompletableFuture<Void> told = new CompletableFuture<>();
		next.onLost((loss) -> told.complete(null));
		signal.lost("the session ended");
		told.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(next.isValid()).isFalse();
		assertThat(losses).hasValue(0);
		next.close();
	}

	@Test
	void callWhoseLockIsLostWhileItPassesOnAsksTheBackend() throws Exception {
		LockHandle first = contended(request());
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		int grants = this.provider.grants.get();
		this.provider.lostWhenAsked = this.provider.signal;
		first.close();
		LockHandle next = get(second);
		assertThat(next.isValid()).isTrue();
		assertThat(this.provider.grants).hasValue(grants + 1);
		next.close();
	}

	@Test
	void callerThatHasGoneAwayLetsTheNextOneIn() throws Exception {
		LockHandle first = contended(request());
		List<CompletableFuture<LockHandle>> gone = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			CompletableFuture<LockHandle> call = this.template.acquireAsync(request());
			// some get it before they are cancelled
			call.thenAccept(LockHandle::close);
			gone.add(call);
		}
		CompletableFuture<LockHandle> last = this.template.acquireAsync(request());
		CompletableFuture<Void> cancelling = CompletableFuture.runAsync(() -> gone.forEach((call) -> call.cancel(true)),
				(task) -> new Thread(task).start());
		first.close();
		cancelling.get(Patience.SECONDS, TimeUnit.SECONDS);
		get(last).close();
		assertThat(this.provider.held).hasValue(0);
	}

	@Test
	void otherLockTypesAndMinimumHoldsAreNotPassedOn() throws Exception {
		for (LockRequest held : List.of(request().withType(LockType.FAIR), request().withType(LockType.WRITE),
				request().withLeaseTime(LONG).withHoldAtLeast(Duration.ofMillis(200)))) {
			LockHandle first = contended(held);
			CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
			int grants = this.provider.grants.get();
			first.close();
			get(second).close();
			assertThat(this.provider.grants).as("leases after %s", held).hasValue(grants + 1);
		}
	}

	@Test
	void longLeaseIsNotPassedToACallerWhoAsksForLess() throws Exception {
		LockHandle first = contended(request().withLeaseTime(LONG));
		CompletableFuture<LockHandle> second = this.template
			.acquireAsync(request().withLeaseTime(Duration.ofSeconds(5)));
		int grants = this.provider.grants.get();
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + 1);
	}

	@Test
	void shortLeaseIsNotPassedToACallerWhoAsksForFarMore() throws Exception {
		LockHandle first = contended(request().withLeaseTime(Duration.ofSeconds(5)));
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request().withLeaseTime(LONG));
		int grants = this.provider.grants.get();
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + 1);
	}

	@Test
	void leaseThatIsShorterThanAMinimumHoldIsNotPassedOn() throws Exception {
		LockHandle first = contended(request().withLeaseTime(LONG));
		CompletableFuture<LockHandle> second = this.template
			.acquireAsync(request().withLeaseTime(LONG).withHoldAtLeast(LONG));
		int grants = this.provider.grants.get();
		first.close();
		get(second);
		assertThat(this.provider.grants).hasValue(grants + 1);
	}

	@Test
	void leaseThatFailsWhenItIsAskedIsReleased() throws Exception {
		LockHandle first = contended(request());
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		int grants = this.provider.grants.get();
		this.provider.failure = new StackOverflowError("isAwaited");
		first.close();
		get(second).close();
		assertThat(this.provider.grants).hasValue(grants + 1);
		assertThat(this.provider.held).hasValue(0);
	}

	@Test
	void closedTemplatePassesNothingOn() throws Exception {
		LockHandle first = contended(request());
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request());
		this.template.close();
		first.close();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> second.get(Patience.SECONDS, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(this.provider.held).hasValue(0);
	}

	/**
	 * Acquire the lock with several tokens: the engine asks for more than one only when
	 * callers have waited for each other.
	 */
	private LockHandle contended(LockRequest request) throws Exception {
		// not acquire: what this thread has, it would enter again
		LockHandle before = get(this.template.acquireAsync(request()));
		CompletableFuture<LockHandle> contended = this.template.acquireAsync(request);
		before.close();
		return get(contended);
	}

	private static LockRequest request() {
		return LockRequest.of("k").withWaitTime(Duration.ofSeconds(30));
	}

	private static LockHandle get(CompletableFuture<LockHandle> future) throws Exception {
		return future.get(Patience.SECONDS, TimeUnit.SECONDS);
	}

	private DefaultLockTemplate template(@Nullable Duration window, int limit) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(Duration.ofMillis(20))
			.handOverWindow(window)
			.handOverLimit(limit)
			.build();
	}

	/**
	 * Grants one lease at a time, with as many tokens as are asked for.
	 */
	private static final class BlockProvider implements LockProvider {

		private final AtomicInteger requests = new AtomicInteger();

		private final AtomicInteger grants = new AtomicInteger();

		private final AtomicInteger held = new AtomicInteger();

		private final AtomicLong tokens = new AtomicLong();

		private volatile int mostTokens = Integer.MAX_VALUE;

		private volatile boolean awaited = true;

		private volatile Duration handOverTime = Duration.ZERO;

		private volatile @Nullable Error failure;

		private volatile Lease.@Nullable LossSignal signal;

		private volatile Lease.@Nullable LossSignal lostWhenAsked;

		@Override
		public String name() {
			return "blocks";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return EnumSet.complementOf(EnumSet.of(LockCapability.EXACT_EXPIRY));
		}

		@Override
		public Duration handOverTime() {
			return this.handOverTime;
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			this.requests.incrementAndGet();
			if (!this.held.compareAndSet(0, 1)) {
				return CompletableFuture.completedFuture(null);
			}
			this.grants.incrementAndGet();
			int count = Math.min(request.tokens(), this.mostTokens);
			long first = this.tokens.getAndAdd(count) + 1;
			return CompletableFuture
				.completedFuture(new BlockLease(first, count, new LeaseTerm(System.nanoTime(), request.leaseTime())));
		}

		private final class BlockLease implements Lease {

			private final long first;

			private final int count;

			private final LeaseTerm term;

			private BlockLease(long first, int count, LeaseTerm term) {
				this.first = first;
				this.count = count;
				this.term = term;
			}

			@Override
			public OptionalLong fencingToken() {
				return OptionalLong.of(this.first);
			}

			@Override
			public int fencingTokens() {
				return this.count;
			}

			@Override
			public boolean isAwaited() {
				if (BlockProvider.this.failure != null) {
					throw BlockProvider.this.failure;
				}
				if (BlockProvider.this.lostWhenAsked != null) {
					BlockProvider.this.lostWhenAsked.lost("the session ended");
				}
				return BlockProvider.this.awaited;
			}

			@Override
			public LeaseTerm term() {
				return this.term;
			}

			@Override
			public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
				BlockProvider.this.requests.incrementAndGet();
				return CompletableFuture.completedFuture(new LeaseTerm(System.nanoTime(), leaseTime));
			}

			@Override
			public CompletionStage<Boolean> release() {
				BlockProvider.this.held.set(0);
				return CompletableFuture.completedFuture(true);
			}

			@Override
			public void onLost(LossSignal lossSignal) {
				BlockProvider.this.signal = lossSignal;
			}

		}

	}

}
