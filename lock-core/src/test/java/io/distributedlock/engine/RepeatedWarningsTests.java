package io.distributedlock.engine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What fails each time does not fill the log.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RepeatedWarningsTests {

	private static final int TIMES = 60;

	/**
	 * Ten each minute, and a minute may end meanwhile.
	 */
	private static final int MOST = 20;

	private final PrintStream before = System.err;

	private final ByteArrayOutputStream log = new ByteArrayOutputStream();

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = template();

	/**
	 * Another node.
	 */
	private final DefaultLockTemplate other = template();

	RepeatedWarningsTests() {
		System.setErr(new PrintStream(this.log, true, StandardCharsets.UTF_8));
	}

	private DefaultLockTemplate template() {
		return builder().build();
	}

	private LockTemplateBuilder builder() {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Patience.LIMIT)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(Duration.ofMillis(5));
	}

	@AfterEach
	void close() {
		this.template.close();
		this.other.close();
		System.setErr(this.before);
	}

	@Test
	void signalThatIsRefusedToAWaiter() {
		this.provider.listen.always(Trick.throwingError());
		LockHandle held = this.other.acquireAsync(LockRequest.of("k")).join();
		CompletableFuture<LockHandle> waiter = this.template.acquireAsync(LockRequest.of("k"));
		Patience.await().until(() -> this.provider.listen.calls() > TIMES);
		held.close();
		assertThat(waiter).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		assertThat(warnings("There is no signal for releases of lock 'k'")).isLessThanOrEqualTo(MOST);
	}

	@Test
	void placeThatCannotSayWhetherItIsBehindOthers() {
		AtomicInteger asked = new AtomicInteger();
		this.provider.enqueue.next((properly) -> new ScriptedPlace(new CompletableFuture<>(), () -> {
		}, () -> {
			asked.incrementAndGet();
			throw new IllegalStateException("no position");
		}, () -> {
		}));
		CompletableFuture<LockHandle> waiter = this.template.acquireAsync(LockRequest.of("k").withType(LockType.FAIR));
		Patience.await().until(() -> asked.get() > TIMES);
		waiter.cancel(false);
		assertThat(warnings("failed when it was asked whether others are in front")).isLessThanOrEqualTo(MOST);
	}

	@Test
	void placeThatCannotBeLeft() {
		AtomicInteger left = new AtomicInteger();
		this.provider.enqueue.always((properly) -> new ScriptedPlace(new CompletableFuture<>(), () -> {
		}, () -> true, () -> {
			left.incrementAndGet();
			throw new IllegalStateException("no way out");
		}));
		for (int i = 0; i < TIMES; i++) {
			this.template.acquireAsync(LockRequest.of("k" + i).withType(LockType.FAIR)).cancel(false);
		}
		Patience.await().until(() -> left.get() == TIMES);
		assertThat(warnings("the next: leaving the queue of a backend")).isPositive().isLessThanOrEqualTo(MOST);
	}

	@Test
	void batchOfRenewalsThatFails() {
		this.provider.renewAll.always(Trick.throwingError());
		try (DefaultLockTemplate renewing = builder().renewalLeaseTime(Duration.ofSeconds(1)).build()) {
			while (this.provider.renewAll.calls() <= TIMES) {
				renewing.acquireAsync(LockRequest.of("k" + this.provider.renewAll.calls()));
				LockSupport.parkNanos(10_000_000);
			}
		}
		assertThat(warnings("failed to renew")).isPositive().isLessThanOrEqualTo(MOST);
	}

	@Test
	void handOverThatFails() {
		this.provider.handOverTime.always(Trick.throwingError());
		for (int i = 0; i < TIMES; i++) {
			LockHandle held = this.template.acquire("k");
			CompletableFuture<LockHandle> next = OtherThread
				.call(() -> this.template.acquireAsync(LockRequest.of("k")));
			held.close();
			assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		}
		assertThat(warnings("since looking for the next caller failed")).isPositive().isLessThanOrEqualTo(MOST);
	}

	@Test
	void codeOfTheApplicationThatFails() {
		AtomicInteger failed = new AtomicInteger();
		Runnable failing = () -> {
			failed.incrementAndGet();
			throw new IllegalStateException("a mistake");
		};
		try (DefaultLockTemplate observed = builder()
			.listener(LockListener.of(LockEvent.Acquired.class, (event) -> failing.run()))
			.callerContext(() -> {
				failing.run();
				return UnaryOperator.identity();
			})
			.build()) {
			for (int i = 0; i < TIMES; i++) {
				LockHandle held = observed.acquire("k" + i);
				held.onLost((loss) -> failing.run());
				this.provider.lastLease().lose();
			}
			Patience.await().until(() -> failed.get() == 3 * TIMES);
		}
		for (String text : List.of("Lock listener", "A callback for the loss", "The context of a caller")) {
			assertThat(warnings(text)).as(text).isPositive().isLessThanOrEqualTo(MOST);
		}
	}

	private long warnings(String text) {
		return this.log.toString(StandardCharsets.UTF_8).lines().filter((line) -> line.contains(text)).count();
	}

}
