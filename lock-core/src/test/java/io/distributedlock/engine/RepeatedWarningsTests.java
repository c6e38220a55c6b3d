package io.distributedlock.engine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What fails each time that a call asks does not fill the log.
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
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Patience.LIMIT)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(Duration.ofMillis(5))
			.build();
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

	private long warnings(String text) {
		return this.log.toString(StandardCharsets.UTF_8).lines().filter((line) -> line.contains(text)).count();
	}

}
