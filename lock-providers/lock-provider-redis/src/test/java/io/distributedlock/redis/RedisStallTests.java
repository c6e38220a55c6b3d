package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that hangs, and later executes commands whose callers have given up: no key
 * may stay without an owner. Each test tries every lock type.
 */
class RedisStallTests {

	private static final Duration LEASE = Duration.ofMinutes(2);

	private static final Duration TIMEOUT = Duration.ofMillis(400);

	private static final LockRequest BARRIER = LockRequest.of("barrier").withWaitTime(Duration.ofSeconds(60));

	private final List<RedisClient> clients = new ArrayList<>();

	private RedisTestServer server;

	private DefaultLockTemplate template;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
		this.template = node();
	}

	@AfterEach
	void stop() {
		this.clients.forEach(Clients::shutdown);
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void attemptThatWasGivenUpLeavesNothing(Scripts known) {
		oneOfEachType().forEach((request) -> this.template.acquire(request).close());
		forget(known);
		this.server.suspend();
		assertUnavailable();
		this.server.resume();
		assertNothingIsLeft();
	}

	@Test
	void attemptThatWaitedForItsFirstConnectionLeavesNothing() {
		this.server.suspend();
		assertUnavailable();
		this.server.resume();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void waitingCallThatWasGivenUpLeavesNothing(Scripts known) {
		try (DefaultLockTemplate other = node()) {
			List<LockHandle> held = oneOfEachType().map(other::acquire).toList();
			List<CompletableFuture<LockHandle>> waiting = oneOfEachType()
				.map((request) -> (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request)
				.map((request) -> this.template.acquireAsync(request.withWaitTime(Duration.ofSeconds(1))))
				.toList();
			// on a busy machine their time may be over already
			Patience.await().during(Duration.ofMillis(200)).until(() -> true);
			forget(known);
			this.server.suspend();
			Patience.await().until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
			this.server.resume();
			held.forEach(LockHandle::close);
			assertNothingIsLeft();
		}
	}

	@ParameterizedTest
	@EnumSource
	void releaseThatTheServerMissedIsRepeated(Scripts known) {
		List<LockHandle> held = oneOfEachType().map(this.template::acquire).toList();
		forget(known);
		this.server.suspend();
		List<CompletableFuture<Void>> closing = held.stream()
			.map((handle) -> CompletableFuture.runAsync(handle::close))
			.toList();
		Patience.await().during(TIMEOUT.multipliedBy(3)).until(() -> true);
		this.server.resume();
		Patience.await().until(() -> closing.stream().allMatch(CompletableFuture::isDone));
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void leaseThatExpiredDuringAStallIsNotRenewedAfterwards(Scripts known) {
		Duration lease = Duration.ofSeconds(2);
		try (DefaultLockTemplate shortLived = builder().renewalLeaseTime(lease).build()) {
			List<LockHandle> held = oneOfEachType()
				.map((request) -> shortLived.acquire(request.withLeaseTime(lease).withAutoRenew(true)))
				.toList();
			forget(known);
			this.server.suspend();
			Patience.await().until(() -> held.stream().noneMatch(LockHandle::isValid));
			this.server.resume();
			assertNothingIsLeft();
		}
	}

	@Test
	void stallAtTheFirstConnectionFailsNoCallThatWaitsLonger() {
		this.server.suspend();
		List<CompletableFuture<LockHandle>> calls = IntStream.range(0, 8)
			.mapToObj((i) -> this.template.acquireAsync(LockRequest.of("k" + i).withWaitTime(Duration.ofSeconds(60))))
			.toList();
		// longer than the time-out of the first connection
		Patience.await().during(Duration.ofSeconds(3)).until(() -> calls.stream().noneMatch(CompletableFuture::isDone));
		this.server.resume();
		calls.forEach((call) -> assertThat(get(call).isValid()).isTrue());
		// a connection that was late is closed a little later
		Patience.await("one for commands, one for messages").until(() -> connections() <= 2);
		calls.forEach((call) -> call.join().close());
	}

	@Test
	void providerThatIsClosedBeforeItsFirstConnectionOpensNone() {
		RedisClient client = Clients.client(this.server.url());
		this.clients.add(client);
		RedisLockProvider provider = new RedisLockProvider(client, TIMEOUT);
		this.server.suspend();
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> get(provider.tryAcquire(Clients.request("k", LEASE))));
		}
		provider.close();
		this.server.resume();
		Patience.await().during(Duration.ofMillis(500)).until(() -> connections() == 0);
	}

	private void assertUnavailable() {
		oneOfEachType().forEach((request) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(request)));
	}

	/**
	 * Assert that no key is left. The server executes commands in order, so once the
	 * barrier is acquired it has executed all that were sent before.
	 */
	private void assertNothingIsLeft() {
		this.template.acquire(BARRIER).close();
		Patience.await().during(Duration.ofMillis(500)).untilAsserted(() -> assertThat(keys()).isEmpty());
	}

	private void forget(Scripts known) {
		if (known != Scripts.ALL) {
			this.server.command("SCRIPT", "FLUSH");
		}
		if (known == Scripts.REMOVAL_ONLY) {
			LockScripts scripts = LockScripts.PLAIN;
			Stream.of(scripts.release(), scripts.leave(), PlainScripts.RELEASE_READ, PlainScripts.RELEASE_PERMIT)
				.forEach((script) -> this.server.command("SCRIPT", "LOAD", script.source()));
		}
	}

	private List<String> keys() {
		List<?> all = (List<?>) this.server.command("KEYS", "*");
		return all.stream().map(String::valueOf).filter((key) -> !Clients.isCounter(key)).toList();
	}

	/**
	 * Return how many connections there are, without that of this command.
	 */
	private long connections() {
		return String.valueOf(this.server.command("CLIENT", "LIST"))
			.lines()
			.filter((line) -> !line.contains("cmd=client"))
			.count();
	}

	private static Stream<LockRequest> oneOfEachType() {
		return Arrays.stream(LockType.values()).map((type) -> {
			LockRequest request = LockRequest.of(type.name()).withLeaseTime(LEASE);
			return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
		});
	}

	private LockTemplateBuilder builder() {
		RedisClient client = Clients.client(this.server.url());
		this.clients.add(client);
		return DefaultLockTemplate.builder()
			.provider(new RedisLockProvider(client, TIMEOUT))
			.commandTimeout(TIMEOUT)
			// the stalls here are longer than it
			.waitThroughOutage(true)
			.waitTime(Patience.LIMIT)
			.pollInterval(Duration.ofMillis(100));
	}

	private DefaultLockTemplate node() {
		return builder().build();
	}

	/**
	 * The scripts that the server knows.
	 */
	enum Scripts {

		ALL, NONE, REMOVAL_ONLY

	}

}
