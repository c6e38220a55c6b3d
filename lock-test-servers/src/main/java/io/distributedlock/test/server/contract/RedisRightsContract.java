package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of a provider whose user of Redis has only the rights that the provider's page
 * documents, whatever the client. The prefix of all keys is {@code shop:lock}.
 *
 * @since 0.1
 */
public abstract class RedisRightsContract {

	/**
	 * The password of all users.
	 */
	protected static final String PASSWORD = "secret";

	/**
	 * An interval that no test waits for: a message wakes the waiter, or nothing does.
	 */
	protected static final Duration NEVER_POLL = Duration.ofMinutes(10);

	private static RedisTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisRightsContract() {
	}

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	final void closeAll() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	/**
	 * Return the server, which is shared by the tests of a class.
	 * @return the server
	 */
	protected static RedisTestServer server() {
		return server;
	}

	/**
	 * Return the documented rights for exclusive locks.
	 * @return the rights, as {@code ACL SETUSER} takes them
	 */
	protected abstract String rights();

	/**
	 * Return the documented rights that other lock types need as well.
	 * @return the rights, as {@code ACL SETUSER} takes them
	 */
	protected abstract String rightsForOtherTypes();

	/**
	 * Return the right to the counters of fencing tokens.
	 * @return one of the {@link #rights()}
	 */
	protected abstract String rightToCounters();

	/**
	 * Create a provider on the server, with a client of its own.
	 * @param user the user of Redis, whose password is {@link #PASSWORD}
	 * @return the provider; it and its client are {@linkplain #closeLater closed} after
	 * the test
	 */
	protected abstract LockProvider connect(String user);

	/**
	 * Close something after the test, before everything that was opened earlier.
	 * @param resource what to close
	 */
	protected final void closeLater(AutoCloseable resource) {
		this.opened.add(resource);
	}

	/**
	 * Check, after all has worked, that the server has denied the user nothing. Does
	 * nothing by default.
	 * @param on the server
	 * @param user the user of Redis
	 */
	protected void assertNothingDenied(RedisTestServer on, String user) {
	}

	@Test
	final void documentedRightsAreEnough() {
		createUser(server, "locker", rights());
		HandOver.between(template("locker", NEVER_POLL), template("locker", NEVER_POLL),
				HandOver.request("order:1", LockType.EXCLUSIVE));
		assertNothingDenied(server, "locker");
	}

	@Test
	final void documentedRightsForOtherTypesAreEnough() {
		createUser(server, "other-types", rights() + rightsForOtherTypes());
		assertAllTypesWork(template("other-types", NEVER_POLL), template("other-types", NEVER_POLL), 1);
		assertNothingDenied(server, "other-types");
	}

	@Test
	final void documentedRightsAreEnoughForAForcedRelease() {
		createUser(server, "forcer", rights());
		assertForcedReleaseWorks("forcer", LockType.EXCLUSIVE);
		createUser(server, "forcer-of-all", rights() + rightsForOtherTypes());
		for (LockType type : LockType.values()) {
			assertForcedReleaseWorks("forcer-of-all", type);
		}
		assertNothingDenied(server, "forcer-of-all");
	}

	private void assertForcedReleaseWorks(String user, LockType type) {
		LockProvider provider = connect(user);
		DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200));
		HandOver.forced(template(user, NEVER_POLL), waiter, provider, HandOver.request(user + type, type));
	}

	@Test
	final void withoutTheCounterThereIsNoLock() {
		createUser(server, "no-counter", rights().replace(rightToCounters(), ""));
		DefaultLockTemplate template = template("no-counter", NEVER_POLL);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("order:4"))
			.withMessageContaining("denies")
			.withMessageContaining("least rights");
		assertThat(server.command("EXISTS", "shop:lock:order:4")).isEqualTo(0L);
	}

	/**
	 * What is written and may not expire would stay for good.
	 */
	@Test
	final void lockThatMayNotExpireIsNotWritten() {
		String rights = rights() + rightsForOtherTypes();
		createUser(server, "small", rights);
		createUser(server, "whole", rights);
		LockProvider provider = connect("small");
		LockProvider holder = connect("whole");
		for (String right : rights.split(" ", -1)) {
			// not those of a part of a command, which older servers cannot take away
			if (!right.matches("[+]\\w+")) {
				continue;
			}
			String key = "shop:lock:" + right.substring(1);
			assertThat(holder.tryAcquire(request(key + "taken", LockType.EXCLUSIVE))).succeedsWithin(Patience.LIMIT)
				.isNotNull();
			server.command("ACL", "SETUSER", "small", right.replace('+', '-'));
			for (LockType type : LockType.values()) {
				for (String each : List.of(key + type, key + "taken")) {
					assertThat(provider.tryAcquire(request(each, type)).handle((lease, failure) -> true))
						.succeedsWithin(Patience.LIMIT);
				}
			}
			LockQueue.Place place = ((LockQueue) provider).enqueue(request(key + "taken", LockType.EXCLUSIVE));
			Patience.await()
				.until(() -> place.isBehindOthers()
						|| place.granted().toCompletableFuture().isCompletedExceptionally());
			assertThat((List<?>) server.command("KEYS", "*" + key + "*"))
				.allSatisfy((written) -> assertThat(server.command("PTTL", String.valueOf(written)))
					.as("time to live of %s", written)
					.isNotEqualTo(-1L));
			server.command("ACL", "SETUSER", "small", right);
			place.leave();
		}
	}

	private static LeaseRequest request(String key, LockType type) {
		return new LeaseRequest(key, Duration.ofMinutes(1), type);
	}

	@Test
	final void waitersPollWithoutTheRightToPublishAndOneWarningSaysSo() {
		createUser(server, "mute", (rights() + rightsForOtherTypes()).replace("+publish ", ""));
		createUser(server, "listener", rights() + rightsForOtherTypes());
		assertLocksWorkAndWarnOnce("mute", "listener", "refuses PUBLISH");
	}

	@Test
	final void waitersPollWithoutTheRightToSubscribeAndOneWarningSaysSo() {
		createUser(server, "deaf", (rights() + rightsForOtherTypes()).replace("+subscribe ", ""));
		createUser(server, "speaker", rights() + rightsForOtherTypes());
		assertLocksWorkAndWarnOnce("speaker", "deaf", "refuses SUBSCRIBE");
	}

	private void assertLocksWorkAndWarnOnce(String holder, String waiter, String warning) {
		for (LockType type : LockType.values()) {
			assertLocksWorkAndWarnOnce(holder, waiter, type, warning);
		}
	}

	private void assertLocksWorkAndWarnOnce(String holder, String waiter, LockType type, String warning) {
		try (StandardError log = new StandardError()) {
			DefaultLockTemplate first = template(holder, Duration.ofMillis(200));
			DefaultLockTemplate second = template(waiter, Duration.ofMillis(200));
			for (int i = 0; i < 3; i++) {
				HandOver.between(first, second, HandOver.request(waiter + type + i, type));
			}
			Patience.await()
				.untilAsserted(
						() -> assertThat(log.text().lines()).filteredOn((line) -> line.contains(warning)).hasSize(1));
		}
	}

	/**
	 * Pass locks of each type from a holder to a waiter.
	 * @param holder acquires first
	 * @param waiter waits
	 * @param keys how many keys of each type
	 */
	protected static void assertAllTypesWork(DefaultLockTemplate holder, DefaultLockTemplate waiter, int keys) {
		for (LockType type : LockType.values()) {
			for (int i = 0; i < keys; i++) {
				HandOver.between(holder, waiter, HandOver.request(type + ":" + i, type));
			}
		}
	}

	/**
	 * Create a user of Redis.
	 * @param on the server
	 * @param user the name of the user
	 * @param rights what the user may do, as {@code ACL SETUSER} takes it
	 */
	protected static void createUser(RedisTestServer on, String user, String rights) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset"));
		Arrays.stream(rights.split(" ", -1)).filter((right) -> !right.isEmpty()).forEach(command::add);
		assertThat(on.command(command.toArray(String[]::new))).isEqualTo("OK");
	}

	/**
	 * Create a template of a user on the server.
	 * @param user the user of Redis
	 * @param pollInterval how often a waiting call asks without a message
	 * @return the template, which is closed after the test
	 */
	protected final DefaultLockTemplate template(String user, Duration pollInterval) {
		return template(connect(user), pollInterval);
	}

	/**
	 * Create a template.
	 * @param provider the provider
	 * @param pollInterval how often a waiting call asks without a message
	 * @return the template, which is closed after the test
	 */
	protected final DefaultLockTemplate template(LockProvider provider, Duration pollInterval) {
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.keyPrefix("shop:lock")
			// the reason of a refusal is told in the answer
			.commandTimeout(Patience.LIMIT)
			.pollInterval(pollInterval)
			.build();
		closeLater(template);
		return template;
	}

}
