package io.distributedlock.redisson;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redisson.internal.client.RedissonScript;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.redisson.internal.client.ScriptLoader;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.ScriptRules;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.util.ReflectionUtils;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of read locks, write locks and semaphores, in an order in which no caller
 * sends them, but a network may deliver them.
 */
class RedissonScriptTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static RedisTestServer server;

	private static RedissonClient client;

	private static RedissonServer sender;

	@BeforeAll
	static void start() {
		server = RedisTestServer.run();
		client = Clients.patient(server.url());
		sender = new RedissonServer(client);
	}

	@AfterAll
	static void stop() {
		sender.close();
		client.shutdown();
		server.close();
	}

	@BeforeEach
	void empty() {
		server.command("FLUSHALL");
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "WRITE", "SEMAPHORE" })
	void attemptThatArrivesAfterItsRemovalIsRefused(LockType type) {
		RedissonOwner owner = owner(type, "somebody");
		assertThat(get(sender.<Long>send(owner.removal()))).isZero();
		assertThat(acquire(owner)).isZero();
		List<?> left = (List<?>) server.command("KEYS", "*");
		assertThat(left).as("the mark alone").hasSize(1);
		assertThat((Long) server.command("PTTL", left.get(0).toString())).isPositive();
		assertThat(acquire(owner(type, "another"))).as("for others the key is free").isPositive();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "WRITE", "SEMAPHORE" })
	void attemptThatArrivesTwiceIsGrantedOnce(LockType type) {
		RedissonOwner owner = owner(type, "somebody");
		assertThat(acquire(owner)).isPositive();
		assertThat(acquire(owner)).isPositive();
		assertThat(get(sender.<Long>send(owner.release()))).isOne();
		assertThat(get(sender.<Long>send(owner.release()))).isZero();
		assertThat(get(sender.<Long>send(owner.renew(LONG)))).isZero();
		LockType conflicting = (type == LockType.READ) ? LockType.WRITE : type;
		assertThat(acquire(owner(conflicting, "another"))).isPositive();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "WRITE", "SEMAPHORE" })
	void releaseByAnotherOwnerChangesNothing(LockType type) {
		RedissonOwner owner = owner(type, "somebody");
		assertThat(acquire(owner)).isPositive();
		assertThat(get(sender.<Long>send(owner(type, "stranger").release()))).isZero();
		assertThat(get(sender.<Long>send(owner(type, "stranger").removal()))).isZero();
		assertThat(get(sender.<Long>send(owner(type, "stranger").renew(LONG)))).isZero();
		assertThat(get(sender.<Long>send(owner.renew(LONG)))).isOne();
		assertThat(get(sender.<Long>send(owner.release()))).isOne();
	}

	@ParameterizedTest
	@MethodSource
	void servicesInFrontOfAClusterReadTheKeys(String name, Script script) {
		List<String> broken = ScriptRules.broken(script.source());
		// each hold of a reader is a key, whose name the server alone knows
		boolean reads = Set.of("ACQUIRE_READ", "RENEW_READ", "RELEASE_READ", "REVOKE_READ", "OWNERS_OF_READERS")
			.contains(name);
		assertThat(broken.isEmpty()).as("%s", broken).isNotEqualTo(reads);
		assertThat(ScriptRules.broken(script.variant(ScriptLoader.DECLARED).source())).isEmpty();
	}

	static Stream<Arguments> servicesInFrontOfAClusterReadTheKeys() {
		return Arrays.stream(RedissonScript.class.getFields())
			.map((field) -> Arguments.of(field.getName(),
					ReflectionUtils.tryToReadFieldValue(field).toOptional().get()));
	}

	private static RedissonOwner owner(LockType type, String id) {
		return new RedissonOwner(RedissonNames.of("k", client.getConfig()), type, id);
	}

	private static long acquire(RedissonOwner owner) {
		LeaseRequest request = new LeaseRequest("k", LONG, owner.type());
		return get(sender.<Long>send(owner.acquire(request)));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
