package io.distributedlock.memcached;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.MemcacheClient;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MemcachedTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.distributedlock.memcached.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Edge cases against a real server.
 */
class MemcachedEdgeCaseTests {

	private static final LeaseRequest REQUEST = new LeaseRequest("k", Duration.ofSeconds(60), LockType.EXCLUSIVE);

	private MemcachedTestServer server;

	private MemcacheClient<String> client;

	private MemcachedLockProvider provider;

	@BeforeEach
	void start() {
		this.server = MemcachedTestServer.run();
		this.client = Clients.connect(this.server.port());
		this.provider = new MemcachedLockProvider(this.client, Patience.LIMIT);
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.provider.close();
			this.client.shutdown();
			this.server.close();
		}
	}

	@Test
	void itemLivesAtLeastAsLongAsTheLease() {
		LeaseRequest request = new LeaseRequest("k", Duration.ofMillis(3001), LockType.EXCLUSIVE);
		Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(request)));
		long end = lease.term().startNanos() + Duration.ofMillis(3001).toNanos();
		Patience.await().pollInterval(Duration.ofMillis(5)).until(() -> get(this.client.get("k")) == null);
		assertThat(System.nanoTime() - end).as("nanoseconds that it outlived the lease")
			// two or three seconds, and how late a busy machine asks
			.isBetween(0L, Duration.ofSeconds(10).toNanos());
	}

	@Test
	void firstConnectionOfTheClientIsWaitedFor() {
		MemcacheClient<String> connecting = Clients.builder(this.server.port()).connectAscii();
		MemcachedLockProvider early = new MemcachedLockProvider(connecting, Patience.LIMIT);
		assertThat(get(early.tryAcquire(REQUEST))).isNotNull();
		early.close();
		connecting.shutdown();
	}

	@Test
	void ownerWhoseAnswerWasLostIsRemoved() throws Exception {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			MemcacheClient<String> far = Clients.connect(proxy.port());
			MemcachedLockProvider slow = new MemcachedLockProvider(far, Duration.ofMillis(300));
			proxy.dropReplies();
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(slow.tryAcquire(REQUEST)));
			Patience.await("granted, although the answer was lost")
				.until(() -> this.server.command("get k").startsWith("VALUE"));
			proxy.heal();
			Patience.await().until(() -> this.server.command("get k").startsWith("END"));
			slow.close();
			far.shutdown();
		}
	}

	@Test
	void itemThatWasRewrittenByAnotherIsNotReleased() {
		Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
		get(this.client.set("k", "another owner", 60));
		assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNull();
		assertThat(get(lease.release())).isFalse();
		assertThat(get(this.client.get("k"))).isEqualTo("another owner");
	}

	@Test
	void releaseBesideARenewalReleases() {
		for (int i = 0; i < 300; i++) {
			Lease lease = Objects.requireNonNull(get(this.provider.tryAcquire(REQUEST)));
			// mostly both read the item before either changes it
			CompletionStage<LeaseTerm> renewal = lease.renew(Duration.ofSeconds(60));
			assertThat(get(lease.release())).as("release %s", i).isTrue();
			get(renewal);
			assertThat(get(this.client.get("k"))).isNull();
		}
	}

	/**
	 * One that was given up comes late, over another connection of the client.
	 */
	@Test
	void renewalBesideAnotherOneOfTheSameOwnerIsNoLoss() {
		AtomicReference<Lease> held = new AtomicReference<>();
		MemcachedLockProvider met = new MemcachedLockProvider(beforeSet(() -> {
			Lease lease = held.getAndSet(null);
			return (lease != null) ? lease.renew(Duration.ofSeconds(60)) : CompletableFuture.completedFuture(null);
		}), Patience.LIMIT);
		Lease lease = Objects.requireNonNull(get(met.tryAcquire(REQUEST)));
		held.set(lease);
		assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNotNull();
		assertThat(held).hasValue(null);
		assertThat(get(lease.release())).isTrue();
		met.close();
	}

	/**
	 * Return the client, with something that happens between the read of an item and its
	 * change.
	 */
	private MemcacheClient<String> beforeSet(Supplier<CompletionStage<?>> event) {
		return with("set",
				(arguments) -> event.get()
					.thenCompose((done) -> this.client.set((String) arguments[0], (String) arguments[1],
							(int) arguments[2], (long) arguments[3])));
	}

	/**
	 * Return the client, with another answer to a method.
	 */
	@SuppressWarnings("unchecked")
	private MemcacheClient<String> with(String name, Function<Object[], Object> answer) {
		return (MemcacheClient<String>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MemcacheClient.class }, (proxy, method, arguments) -> method.getName().equals(name)
						? answer.apply(arguments) : method.invoke(this.client, arguments));
	}

	@Test
	void binaryProtocolWorksToo() {
		BinaryMemcacheClient<String> binary = Clients.builder(this.server.port()).connectBinary();
		get(ConnectFuture.connectFuture(binary));
		MemcachedLockProvider other = new MemcachedLockProvider(binary, Patience.LIMIT);
		Lease lease = Objects.requireNonNull(get(other.tryAcquire(REQUEST)));
		assertThat(get(this.provider.tryAcquire(REQUEST))).isNull();
		assertThat(get(lease.renew(Duration.ofSeconds(30)))).isNotNull();
		assertThat(get(lease.release())).isTrue();
		assertThat(get(lease.release())).isFalse();
		binary.shutdown();
	}

	@Test
	void holderIsToldThatARestartLostTheLock() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(Duration.ofSeconds(3))
			.build(); LockHandle handle = template.acquire("k")) {
			this.server.restart();
			Patience.await().until(() -> !handle.isValid());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::ensureHeld);
		}
	}

	@Test
	void serverThatIsDownIsAnOutageAndNotContention() {
		this.server.kill();
		// a command that is sent before the client has noticed fails with other words
		get(ConnectFuture.disconnectFuture(this.client));
		try (DefaultLockTemplate template = template(this.provider)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("Disconnected, memcached=127.0.0.1");
		}
	}

	/**
	 * After the outage there would be reads for each owner that is removed.
	 */
	@Test
	void attemptsOfAnOutageLeaveNoOwnerToRemove() {
		this.server.kill();
		get(ConnectFuture.disconnectFuture(this.client));
		AtomicInteger removals = new AtomicInteger();
		try (MemcachedLockProvider down = new MemcachedLockProvider(with("casGet", (arguments) -> {
			removals.incrementAndGet();
			return this.client.casGet((String) arguments[0]);
		}), Duration.ofMillis(100))) {
			for (int i = 0; i < 10; i++) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(down.tryAcquire(REQUEST)))
					.withMessageContaining("cannot be reached");
			}
			assertThat(removals).hasValue(0);
		}
	}

	@Test
	void callersThatTheFirstConnectionHasKeptWaitingAreForgotten() {
		AtomicReference<CompletableFuture<?>> waited = new AtomicReference<>();
		CompletableFuture<Void> never = new CompletableFuture<>() {

			@Override
			public <U> CompletableFuture<U> thenApply(Function<? super Void, ? extends U> then) {
				CompletableFuture<U> derived = super.thenApply(then);
				waited.set(derived);
				return derived;
			}

		};
		try (MemcachedLockProvider early = new MemcachedLockProvider(with("connectFuture", (arguments) -> never),
				Duration.ofMillis(100))) {
			for (int i = 0; i < 10; i++) {
				early.ping().exceptionally((failure) -> null).toCompletableFuture().join();
			}
			assertThat(waited.get().getNumberOfDependents()).isLessThan(2);
		}
	}

	@Test
	void failuresOfAnOutageAreNotKeptInMemory() {
		this.server.kill();
		WeakReference<Throwable> failure = new WeakReference<>(
				this.provider.ping().handle((done, thrown) -> Failures.unwrap(thrown)).toCompletableFuture().join());
		Patience.await("the failure is forgotten").until(() -> {
			System.gc();
			return failure.get() == null;
		});
	}

	@Test
	void serverThatWasNeverThereDoesNotAnswer() {
		this.server.kill();
		MemcacheClient<String> early = Clients.builder(this.server.port()).connectAscii();
		try (MemcachedLockProvider lonely = new MemcachedLockProvider(early, Duration.ofMillis(200))) {
			assertThat(lonely.ping().toCompletableFuture()).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withMessageContaining("cannot be reached");
		}
		finally {
			early.shutdown();
		}
	}

	@Test
	void errorNamesAWrongPasswordWhichIsNotTriedAgain(@TempDir Path folder) throws IOException {
		Path users = Files.writeString(folder.resolve("users"), "locker:secret\n");
		try (MemcachedTestServer secured = MemcachedTestServer.run("-Y", users.toString())) {
			MemcacheClient<String> right = Clients.builder(secured.port())
				.withUsernamePassword("locker", "secret")
				.connectAscii();
			try (DefaultLockTemplate template = template(right)) {
				template.acquire("k").close();
			}
			MemcacheClient<String> wrong = Clients.builder(secured.port())
				.withUsernamePassword("locker", "wr0ng")
				.connectAscii();
			try (DefaultLockTemplate template = template(wrong)) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.acquire(LockRequest.of("k").withWaitTime(Duration.ofMinutes(5))))
					.withMessageContaining("credentials")
					.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wr0ng"));
			}
			right.shutdown();
			wrong.shutdown();
		}
	}

	@Test
	void errorNamesAPasswordThatWasChanged(@TempDir Path folder) throws IOException {
		Path users = Files.writeString(folder.resolve("users"), "locker:secret\n");
		try (MemcachedTestServer secured = MemcachedTestServer.run("-Y", users.toString())) {
			MemcacheClient<String> right = Clients.builder(secured.port())
				.withUsernamePassword("locker", "secret")
				.connectAscii();
			try (DefaultLockTemplate template = template(right)) {
				template.acquire("k").close();
				Files.writeString(users, "locker:another\n");
				secured.restart();
				Patience.await()
					.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> template.tryAcquire("k"))
						.withMessageContaining("credentials"));
			}
			right.shutdown();
		}
	}

	@Test
	void nothingIsSentForAnAttemptThatWasGivenUp() throws Exception {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			MemcacheClient<String> far = Clients.connect(proxy.port());
			MemcachedLockProvider patient = new MemcachedLockProvider(far, Duration.ofSeconds(10));
			String before = this.server.command("stats");
			LeaseRequest late = new LeaseRequest("k", Duration.ofSeconds(60), LockType.EXCLUSIVE, 1,
					System.nanoTime() - 1);
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(patient.tryAcquire(late)))
				.withCauseInstanceOf(BackendException.class);
			assertThat(commandsIn(this.server.command("stats"))).isEqualTo(commandsIn(before));
			patient.close();
			far.shutdown();
		}
	}

	@Test
	void leaseTimesThatMemcachedCannotKeepAreRefused() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(this.provider).build()) {
			for (Duration refused : new Duration[] { Duration.ofSeconds(2), Duration.ofDays(31) }) {
				assertThatIllegalArgumentException()
					.isThrownBy(() -> template.acquire(LockRequest.of("k").withLeaseTime(refused)))
					.withMessageContaining("memcached")
					.withMessageContaining("from 3s to");
			}
		}
	}

	private static List<String> commandsIn(String stats) {
		return stats.lines().filter((line) -> line.startsWith("STAT cmd_")).toList();
	}

	private static DefaultLockTemplate template(MemcacheClient<String> client) {
		return template(new MemcachedLockProvider(client, Duration.ofSeconds(10)));
	}

	private static DefaultLockTemplate template(MemcachedLockProvider provider) {
		// longer than the provider takes, which tells the cause of a failure
		return DefaultLockTemplate.builder().provider(provider).commandTimeout(Patience.LIMIT).build();
	}

}
