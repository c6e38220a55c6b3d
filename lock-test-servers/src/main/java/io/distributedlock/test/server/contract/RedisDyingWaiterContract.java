package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A JVM that waits in the line of a key is killed or stopped when a release has just
 * named it as the next owner, whatever the client. The one behind it must not wait for a
 * whole lease, and a JVM that goes on later must not take the lock for its own.
 *
 * @since 0.1
 */
public abstract class RedisDyingWaiterContract {

	private static final String PREFIX = "p";

	private static final Duration LEASE = Duration.ofMinutes(5);

	/**
	 * On a busy machine it may renew its grant before it stops itself.
	 */
	private static final Duration LEASE_OF_FIRST = Duration.ofSeconds(10);

	private static final Duration POLL = Duration.ofMillis(500);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private RedisTestServer server;

	/**
	 * The JVM that dies. It is the first in the line.
	 */
	private ChildJvm first;

	private LockHandle held;

	private CompletableFuture<LockHandle> second;

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisDyingWaiterContract() {
	}

	/**
	 * Return what creates a provider with a client of its own, in this JVM and in others.
	 * @return the class, whose argument is the address of the server
	 */
	protected abstract Class<? extends ProviderFactory> factory();

	@BeforeEach
	final void holdAndWait() throws ReflectiveOperationException {
		this.server = RedisTestServer.run();
		this.opened.add(this.server);
		this.held = node().acquire(LockRequest.of("k"));
		this.first = ChildJvm.start(WaiterJvm.class, factory().getName(), PREFIX, "k",
				Long.toString(LEASE_OF_FIRST.toMillis()), this.server.url());
		this.opened.add(this.first);
		awaitLine(1);
		this.second = node().acquireAsync(LockRequest.of("k").withWaitTime(LEASE));
		awaitLine(2);
	}

	@AfterEach
	final void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	final void nextHasTheLockSoonIfTheOwnerIsKilledBeforeItHearsOfItsGrant() throws Exception {
		long releasedAt = releaseToAStoppedJvm();
		this.first.kill();
		assertNextHasTheLock(releasedAt);
	}

	@Test
	final void ownerThatWasStoppedBeforeItHeardOfItsGrantHasNotTheLock() throws Exception {
		LockHandle next = assertNextHasTheLock(releaseToAStoppedJvm());
		this.first.resume();
		// it reads the old message, and asks
		awaitLine(1);
		assertThat(tokens()).isEmpty();
		next.ensureHeld();
		next.close();
		this.first.awaitLine("HELD");
		assertThat(tokens()).singleElement().satisfies((token) -> assertThat(token).isGreaterThan(tokenOf(next)));
	}

	@Test
	final void ownerThatIsStoppedBeforeItRenewsItsGrantLosesTheLock() throws Exception {
		this.held.close();
		LockHandle next = this.second.get(Patience.SECONDS, TimeUnit.SECONDS);
		this.first.awaitLine("HELD");
		assertThat(tokens()).singleElement().satisfies((token) -> assertThat(token).isLessThan(tokenOf(next)));
		this.first.resume();
		this.first.awaitLine("LOST");
		next.ensureHeld();
		next.close();
	}

	/**
	 * Release the lock, which names a JVM that does not hear of it.
	 * @return when the lock was released
	 */
	private long releaseToAStoppedJvm() {
		this.first.suspend();
		long releasedAt = System.nanoTime();
		this.held.close();
		// only the release takes a place out of the line
		assertThat(line()).isEqualTo(1L);
		assertThat(this.server.command("EXISTS", this.held.key())).as("somebody was named").isEqualTo(1L);
		assertThat(this.second).as("the other one was named").isNotDone();
		return releasedAt;
	}

	private LockHandle assertNextHasTheLock(long from) throws Exception {
		LockHandle next = this.second.get(Patience.SECONDS, TimeUnit.SECONDS);
		// a whole lease would have ended later
		assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LEASE_OF_FIRST);
		assertThat(tokenOf(next)).isGreaterThan(tokenOf(this.held));
		return next;
	}

	private List<Long> tokens() {
		return this.first.lines()
			.stream()
			.filter((line) -> line.startsWith("HELD "))
			.map((line) -> Long.valueOf(line.substring("HELD ".length())))
			.toList();
	}

	private static long tokenOf(LockHandle handle) {
		return handle.fencingToken().orElseThrow();
	}

	private void awaitLine(long places) {
		Patience.await().until(() -> Long.valueOf(places).equals(line()));
	}

	private @Nullable Object line() {
		return this.server.command("LLEN", "{" + this.held.key() + "}:line");
	}

	private DefaultLockTemplate node() throws ReflectiveOperationException {
		ProviderFactory.Node node = factory().getConstructor()
			.newInstance()
			.create(List.of(this.server.url()), COMMAND_TIMEOUT);
		this.opened.add(node.client());
		this.opened.add(node.provider());
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(node.provider())
			.keyPrefix(PREFIX)
			.renewalLeaseTime(LEASE)
			.pollInterval(POLL)
			.commandTimeout(COMMAND_TIMEOUT)
			.build();
		this.opened.add(template);
		Patience.await("connection").ignoreExceptions().until(() -> {
			template.acquire("warm-up").close();
			return true;
		});
		return template;
	}

}
