package io.distributedlock.redis.scripts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts on a real server, for both layouts.
 */
class LockScriptsTests {

	private static final String COUNTER = "app:{}";

	private static final String LEASE = "60000";

	/**
	 * How long a grant lives. A JVM counts as alive for a third more.
	 */
	private static final String GRANT = "30000";

	private static RedisTestServer server;

	@BeforeAll
	static void start() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void clear() {
		server.command("FLUSHALL");
		server.command("CONFIG", "SET", "maxmemory", "0");
	}

	@ParameterizedTest
	@EnumSource
	void freeLockIsTakenOnce(Kept layout) {
		long token = take(layout, "a.1");
		assertThat(token).isPositive();
		assertThat(take(layout, "b.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(layout.holder()).isEqualTo("a.1");
		assertThat(release(layout, "b.1")).isZero();
		assertThat(release(layout, "a.1")).isEqualTo(1);
		assertThat(layout.holder()).isNull();
		assertThat(take(layout, "b.1")).isGreaterThan(token);
	}

	@ParameterizedTest
	@EnumSource
	void lockIsHandedOverInTheOrderOfArrival(Kept layout) throws Exception {
		take(layout, "a.1");
		try (Inbox b = layout.inbox("b"); Inbox c = layout.inbox("c")) {
			assertThat(join(layout, "b.1")).isEqualTo(LockScripts.IN_LINE);
			assertThat(join(layout, "c.1")).isEqualTo(LockScripts.IN_LINE);
			assertThat(join(layout, "b.2")).isEqualTo(LockScripts.IN_LINE);
			for (String next : List.of("b.1", "c.1", "b.2")) {
				assertThat(release(layout, layout.holder())).isEqualTo(1);
				assertThat(layout.holder()).isEqualTo(next);
				assertThat((Long) server.command("PTTL", "k")).isBetween(1L, Long.valueOf(GRANT));
				assertThat((next.startsWith("b") ? b : c).next()).startsWith(next.substring(2) + " ")
					.endsWith(" " + GRANT + " 1");
			}
		}
		assertThat(release(layout, "b.2")).isEqualTo(1);
		assertThat(layout.holder()).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void holderIsToldWhenTheFirstJoins(Kept layout) throws Exception {
		take(layout, "a.1");
		try (Inbox a = layout.inbox("a")) {
			join(layout, "b.1");
			assertThat(a.next()).isEqualTo("1");
		}
	}

	@ParameterizedTest
	@EnumSource
	void tokensRiseByBlocks(Kept layout) throws Exception {
		// so that the clock does not carry them
		server.command("SET", COUNTER, "7000000000000000", "PX", "86400000");
		assertThat(Math.abs(run(layout, layout.scripts().acquire(), "a.1", LEASE + " 5")))
			.isEqualTo(7_000_000_000_000_001L);
		try (Inbox b = layout.inbox("b")) {
			run(layout, layout.scripts().acquire(), "b.1", LEASE + " 3 " + GRANT);
			release(layout, "a.1");
			assertThat(b.next()).startsWith("1 7000000000000006 ");
		}
		release(layout, "b.1");
		assertThat(take(layout, "c.1")).isEqualTo(7_000_000_000_000_009L);
		assertThat((Long) server.command("PTTL", COUNTER)).isBetween(86_000_000L, 86_460_000L);
	}

	@ParameterizedTest
	@EnumSource
	void attemptDoesNotOvertakeTheLine(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		// as if the lease had expired
		server.command("DEL", "k");
		assertThat(take(layout, "c.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(layout.holder()).isEqualTo("b.1");
		server.command("DEL", "k");
		assertThat(take(layout, "c.1")).as("the line is empty").isPositive();
	}

	@ParameterizedTest
	@EnumSource
	void callThatFindsTheLineWaitingJoinsItsEnd(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		server.command("DEL", "k");
		assertThat(join(layout, "c.1")).isEqualTo(LockScripts.IN_LINE);
		assertThat(layout.holder()).isEqualTo("b.1");
		release(layout, "b.1");
		assertThat(layout.holder()).isEqualTo("c.1");
	}

	@ParameterizedTest
	@EnumSource
	void placesOfADeadJvmAreSkipped(Kept layout) {
		take(layout, "a.1");
		run(layout, layout.scripts().acquire(), "dead.1", LEASE + " 1 30");
		run(layout, layout.scripts().acquire(), "dead.2", LEASE + " 1 30 1");
		join(layout, "b.1");
		Patience.await().until(() -> {
			return server.command("HGET", "{k}:alive", "dead") == null || deadline("dead") < 0;
		});
		release(layout, "a.1");
		assertThat(layout.holder()).isEqualTo("b.1");
	}

	@ParameterizedTest
	@EnumSource
	void scriptThatIsExecutedTwiceChangesNothing(Kept layout) {
		long first = take(layout, "a.1");
		long again = take(layout, "a.1");
		assertThat(again).as("a new block, as none of the first was used").isGreaterThan(first);
		join(layout, "b.1");
		join(layout, "b.1");
		join(layout, "c.1");
		assertThat(server.command("LLEN", "{k}:line")).isEqualTo(2L);
		assertThat(release(layout, "a.1")).isEqualTo(1);
		assertThat(release(layout, "a.1")).isZero();
		assertThat(layout.holder()).isEqualTo("b.1");
		assertThat(-join(layout, "b.1")).as("granted, and the message was lost").isGreaterThan(again);
		assertThat((Long) server.command("PTTL", "k")).isGreaterThan(Long.valueOf(GRANT));
	}

	@ParameterizedTest
	@EnumSource
	void placeThatLeavesIsNotGranted(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		join(layout, "c.1");
		assertThat(leave(layout, "b.1")).isEqualTo(1);
		assertThat(leave(layout, "b.1")).isZero();
		release(layout, "a.1");
		assertThat(layout.holder()).isEqualTo("c.1");
	}

	@ParameterizedTest
	@EnumSource
	void placeThatLeavesAfterItsGrantHandsOver(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		join(layout, "c.1");
		release(layout, "a.1");
		assertThat(leave(layout, "b.1")).isEqualTo(1);
		assertThat(layout.holder()).isEqualTo("c.1");
		assertThat(leave(layout, "c.1")).isEqualTo(1);
		assertThat(layout.holder()).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void lookGrantsAFreeLockAndTellsWhoHasIt(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		join(layout, "c.1");
		String[] answer = look(layout, "c.1");
		assertThat(Long.parseLong(answer[0])).isBetween(1L, Long.valueOf(LEASE));
		assertThat(answer[2]).isEqualTo("1");
		assertThat(answer[3]).isEqualTo("-");
		server.command("DEL", "k");
		answer = look(layout, "c.1");
		assertThat(layout.holder()).isEqualTo("b.1");
		assertThat(answer[3]).isEqualTo("-");
		assertThat(look(layout, "b.1")[3]).isEqualTo("1");
		assertThat(look(layout, "b.1")[2]).as("no longer in the line").isEqualTo("0");
		server.command("DEL", "k", "{k}:line");
		assertThat(look(layout, "c.1")).startsWith("-2").endsWith("0", "-");
	}

	@ParameterizedTest
	@EnumSource
	void tokenOfALaterGrantIsHigherThanWhatALookSaw(Kept layout) throws Exception {
		take(layout, "a.1");
		try (Inbox b = layout.inbox("b")) {
			join(layout, "b.1");
			long seen = Long.parseLong(look(layout, "b.1")[1]);
			release(layout, "a.1");
			long granted = Long.parseLong(b.next().split(" ", -1)[1]);
			assertThat(granted).isGreaterThan(seen);
			assertThat(Long.parseLong(look(layout, "c.1")[1])).isGreaterThanOrEqualTo(granted);
		}
	}

	@ParameterizedTest
	@EnumSource
	void renewalAnswersForEachLease(Kept layout) {
		take(layout, "a.1");
		run(layout, "l", layout.scripts().acquire(), "a.2", LEASE + " 1");
		run(layout, "m", layout.scripts().acquire(), "b.1", LEASE + " 1");
		join(layout, "c.1");
		assertThat(eval(layout.scripts().renew(),
				Stream.of("k", "l", "m", "n").flatMap((key) -> Stream.of(key, TokenCounters.line(key))).toList(),
				List.of("a.1", "90000", "a.2", "80000", "a.3", "70000", "a.4", "60000")))
			.isEqualTo("2100");
		assertThat((Long) server.command("PTTL", "k")).isBetween(80_001L, 90_000L);
		assertThat((Long) server.command("PTTL", "l")).isBetween(70_000L, 80_000L);
		assertThat((Long) server.command("PTTL", "m")).isLessThanOrEqualTo(60_000L);
	}

	@ParameterizedTest
	@EnumSource
	void fullServerHandsOverAndGrantsNothingElse(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> run(layout, "l", layout.scripts().acquire(), "a.2", LEASE + " 1"))
			.withStackTraceContaining("OOM");
		assertThat(eval(layout.scripts().renew(), List.of("k", "{k}:line"), List.of("a.1", LEASE))).isEqualTo("2");
		assertThat(release(layout, "a.1")).isEqualTo(1);
		assertThat(layout.holder()).isEqualTo("b.1");
		assertThat(release(layout, "b.1")).isEqualTo(1);
		assertThat(layout.holder()).isNull();
	}

	/**
	 * Code of another library that asks at intervals leaves no trace.
	 */
	@ParameterizedTest
	@EnumSource
	void lockIsFreeForAMomentWhereOthersAskAtIntervals(Kept layout) {
		String each = "0 40000";
		take(layout, "a.1");
		join(layout, "b.1");
		assertThat(run(layout, layout.scripts().release(), "a.1", each)).isEqualTo(1);
		assertThat(layout.holder()).as("not yet").isEqualTo("b.1");
		assertThat(deadline("~")).isBetween(300_000L, 400_000L);
		server.command("HSET", "{k}:alive", "~", Long.toString(now() + 200_000));
		join(layout, "a.2");
		assertThat(run(layout, layout.scripts().release(), "b.1", each)).isEqualTo(1);
		assertThat(layout.holder()).isNull();
		assertThat(take(layout, "c.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(join(layout, "b.2")).isEqualTo(LockScripts.IN_LINE_OF_A_FREE_LOCK);
		assertThat(look(layout, "a.2")).startsWith("-2").endsWith("+");
		assertThat(deadline("~")).isBetween(401_000L, 450_000L);
		String moment = (layout == Kept.PLAIN) ? "+" : "";
		assertThat(deadline(moment)).isBetween(20_000L, 50_000L);
		server.command("HDEL", "{k}:alive", moment);
		look(layout, "b.2");
		assertThat(layout.holder()).isEqualTo("a.2");
	}

	@ParameterizedTest
	@EnumSource
	void lockWithoutALineIsFreeForAMomentWhereOthersAskAtIntervals(Kept layout) {
		server.command("HSET", "{k}:alive", "~", Long.toString(now() + 200_000));
		take(layout, "a.1");
		assertThat(run(layout, layout.scripts().release(), "a.1", "0 40000")).isEqualTo(1);
		assertThat(layout.holder()).isNull();
		assertThat(run(layout, layout.scripts().acquire(), "a.2", LEASE + " 1  3")).isEqualTo(LockScripts.TAKEN);
		assertThat(run(layout, layout.scripts().acquire(), "a.2", LEASE + " 1 " + GRANT + " 3"))
			.isEqualTo(LockScripts.IN_LINE_OF_A_FREE_LOCK);
	}

	@ParameterizedTest
	@EnumSource
	void jvmThatAsksCountsAsAliveOnAFullServer(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		long till = till("b");
		server.command("CONFIG", "SET", "maxmemory", "1");
		Patience.await("a later deadline").until(() -> {
			look(layout, "b.1");
			return till("b") > till;
		});
		assertThat(release(layout, "a.1")).isEqualTo(1);
		assertThat(layout.holder()).isEqualTo("b.1");
	}

	@ParameterizedTest
	@EnumSource
	void everyKeyExpiresAndNoneIsLeftButTheCounter(Kept layout) {
		take(layout, "a.1");
		run(layout, layout.scripts().acquire(), "b.1", LEASE + " 1 300");
		assertThat(server.entriesWithout(".* \\d+")).isEmpty();
		leave(layout, "b.1", "300");
		release(layout, "a.1");
		Patience.await().untilAsserted(() -> assertThat(keys()).containsExactly(COUNTER));
	}

	@ParameterizedTest
	@EnumSource
	void jvmsThatAreGoneAreForgottenWhileTheKeyIsBusy(Kept layout) {
		take(layout, "a.1");
		join(layout, "living.1");
		for (int i = 0; i < 20; i++) {
			run(layout, layout.scripts().acquire(), "gone" + i + ".1", LEASE + " 1 30");
		}
		Patience.await().untilAsserted(() -> {
			String jvm = "new" + System.nanoTime();
			join(layout, jvm + ".1");
			leave(layout, jvm + ".1");
			assertThat((List<?>) server.command("HKEYS", "{k}:alive")).map(String::valueOf)
				.contains("living", jvm)
				.noneMatch((each) -> each.startsWith("gone"));
		});
		release(layout, "a.1");
		assertThat(layout.holder()).isEqualTo("living.1");
	}

	@ParameterizedTest
	@EnumSource
	void noTimeIsShortenedByACallThatWantsLess(Kept layout) {
		take(layout, "a.1");
		join(layout, "b.1");
		long line = (Long) server.command("PTTL", "{k}:line");
		long alive = (Long) server.command("PTTL", "{k}:alive");
		long till = till("b");
		run(layout, layout.scripts().acquire(), "b.2", LEASE + " 1 300");
		run(layout, layout.scripts().acquire(), "c.1", LEASE + " 1 300");
		eval(layout.scripts().look(), layout.keys("k"), List.of("c.1", "300", "c.1 1 300"));
		assertThat((Long) server.command("PTTL", "{k}:line")).isBetween(line - 20_000, line);
		assertThat((Long) server.command("PTTL", "{k}:alive")).isBetween(alive - 20_000, alive);
		assertThat(till("b")).isEqualTo(till);
		run(layout, layout.scripts().acquire(), "a.1", "1000 1");
		assertThat((Long) server.command("PTTL", "k")).as("asked again with less").isGreaterThan(20_000L);
	}

	@Test
	void codeThatUsesRedissonIsExcludedAndWoken() throws Exception {
		Kept layout = Kept.REDISSON;
		server.command("HSET", "k", "11111111-1111-1111-1111-111111111111:7", "1");
		assertThat(take(layout, "a.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(join(layout, "a.1")).isEqualTo(LockScripts.IN_LINE_BEHIND_OTHERS);
		assertThat(look(layout, "a.1")).endsWith("+");
		server.command("DEL", "k");
		look(layout, "a.1");
		assertThat(layout.holder()).isEqualTo("a.1");
		try (Inbox byHand = new Inbox(server, "redisson_lock__channel:{k}"); Inbox c = layout.inbox("c")) {
			join(layout, "b.1");
			release(layout, "a.1");
			assertThat(layout.holder()).as("few grants in a row").isEqualTo("b.1");
			join(layout, "c.1");
			assertThat(run(layout, layout.scripts().release(), "b.1", "16")).isEqualTo(1);
			assertThat(byHand.next()).isEqualTo("0");
			assertThat(layout.holder()).as("many grants in a row").isNull();
			assertThat(c.next()).as("so that it looks who has the lock").isEqualTo("1 look");
		}
		assertThat(deadline("")).isLessThanOrEqualTo(30);
		Patience.await("the end of the moment").until(() -> {
			look(layout, "c.1");
			return "c.1".equals(layout.holder());
		});
		join(layout, "d.1");
		run(layout, layout.scripts().release(), "c.1", "16");
		assertThat(layout.holder()).as("nobody waits by hand").isEqualTo("d.1");
	}

	@Test
	void noScriptTakesALockThatIsFreeForOthersUntilOneHasHadIt() {
		Kept layout = Kept.REDISSON;
		server.command("HSET", "{k}:alive", "", Long.toString(now() + Long.parseLong(LEASE)));
		assertThat(take(layout, "a.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(join(layout, "a.1")).isEqualTo(LockScripts.IN_LINE_OF_A_FREE_LOCK);
		assertThat(look(layout, "a.1")).startsWith("-2").endsWith("+");
		server.command("HSET", "k", "11111111-1111-1111-1111-111111111111:7", "1");
		assertThat(join(layout, "b.1")).isEqualTo(LockScripts.IN_LINE_BEHIND_OTHERS);
		server.command("DEL", "k");
		look(layout, "a.1");
		assertThat(layout.holder()).isEqualTo("a.1");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "redisson_rwlock:{k}", "redisson_lock__channel:{k}:11111111-1111-1111-1111-111111111111:7" })
	void allWhoWaitOutsideTheLineOfRedissonAreWoken(String channel) throws Exception {
		Kept layout = Kept.REDISSON;
		take(layout, "a.1");
		join(layout, "b.1");
		server.command("RPUSH", "redisson_lock_queue:{k}", "11111111-1111-1111-1111-111111111111:7");
		try (Inbox byHand = new Inbox(server, channel)) {
			assertThat(run(layout, layout.scripts().release(), "a.1", "16")).isEqualTo(1);
			assertThat(byHand.next()).isEqualTo(channel.startsWith("redisson_rwlock") ? "1" : "0");
		}
		assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
		assertThat(deadline("")).isLessThanOrEqualTo(30);
	}

	/**
	 * Commands of one JVM go over several connections, so one may overtake another.
	 */
	@Test
	void lookOfAPlaceThatWasLeftLetsNoLineWaitInTheQueueOfRedisson() {
		server.command("HSET", "k", "client:1", "1");
		server.command("RPUSH", "redisson_lock_queue:{k}", "client:2");
		join(Kept.REDISSON, "b.1");
		look(Kept.REDISSON, "b.1");
		assertThat(server.command("LLEN", "redisson_lock_queue:{k}")).isEqualTo(2L);
		leave(Kept.REDISSON, "b.1");
		look(Kept.REDISSON, "b.1");
		assertThat(server.command("LLEN", "redisson_lock_queue:{k}")).isEqualTo(1L);
	}

	@Test
	void markedOwnerOfRedissonIsRefused() {
		server.command("HSET", "{k}:alive", "a.1", Long.toString(now() + Long.parseLong(LEASE)));
		assertThat(take(Kept.REDISSON, "a.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(take(Kept.REDISSON, "a.2")).isPositive();
	}

	@Test
	void ownerOfRedissonThatIsRemovedIsRefusedLater() {
		run(Kept.REDISSON, LockScripts.REDISSON.leave(), "a.1", "a.1 1 " + GRANT, "1");
		assertThat(join(Kept.REDISSON, "a.1")).isEqualTo(LockScripts.TAKEN);
		assertThat(deadline("a.1")).isPositive();
		assertThat((Long) server.command("PTTL", "{k}:alive")).isPositive();
	}

	@Test
	void holderOfRedissonsHashCountsAsAwaited() {
		assertThat(run(Kept.REDISSON, "k", LockScripts.REDISSON.acquire(), "a.1", LEASE + " 1")).isNegative();
		assertThat(run(Kept.PLAIN, "l", Kept.PLAIN.scripts().acquire(), "a.2", LEASE + " 1")).isPositive();
	}

	@Test
	void counterOfRedissonsFencedLockIsCountedUpByBlocks() {
		List<String> keys = TokenCounters.ofRedisson(false).keys("k");
		server.command("SET", keys.get(1), "7");
		assertThat(eval(LockScripts.REDISSON.acquire(), keys, List.of("a.1", LEASE + " 5"))).isEqualTo(-8L);
		assertThat(server.command("INCR", keys.get(1))).isEqualTo(13L);
		assertThat((Long) server.command("PTTL", keys.get(1))).isEqualTo(-1L);
	}

	@Test
	void writersAndReadersAreWokenWhenTheLineIsEmptyOrAfterManyGrants() throws Exception {
		Kept layout = Kept.PLAIN;
		take(layout, "a.1");
		try (Inbox waiters = new Inbox(server, "k"); Inbox a = new Inbox(server, "app:a")) {
			assertThat(eval(PlainScripts.ACQUIRE_WRITE, Kept.PLAIN.keys("k"), List.of("w.1", LEASE + " 1")))
				.isEqualTo(0L);
			assertThat(a.next()).as("the holder is told").isEqualTo("1");
			assertThat(eval(PlainScripts.ACQUIRE_READ, Kept.PLAIN.keys("k"), List.of("r.1", LEASE))).isEqualTo(0L);
			join(layout, "b.1");
			assertThat(run(layout, layout.scripts().release(), "a.1", "16")).isEqualTo(1);
			assertThat(waiters.next()).isEmpty();
			assertThat((Long) eval(PlainScripts.ACQUIRE_READ, Kept.PLAIN.keys("k"), List.of("r.1", LEASE)))
				.isPositive();
			assertThat((Long) eval(PlainScripts.ACQUIRE_READ, Kept.PLAIN.keys("k"), List.of("r.2", LEASE)))
				.isPositive();
			assertThat(eval(PlainScripts.RELEASE_READ, Kept.PLAIN.keys("k"), List.of("r.1"))).isEqualTo(1L);
			assertThat(eval(PlainScripts.ACQUIRE_WRITE, Kept.PLAIN.keys("k"), List.of("w.1", LEASE + " 1")))
				.isEqualTo(0L);
			assertThat(eval(PlainScripts.RELEASE_READ, Kept.PLAIN.keys("k"), List.of("r.2"))).isEqualTo(1L);
			assertThat(layout.holder()).as("the last reader hands over").isEqualTo("b.1");
			release(layout, "b.1");
			assertThat(waiters.next()).isEmpty();
			assertThat((Long) eval(PlainScripts.ACQUIRE_WRITE, Kept.PLAIN.keys("k"), List.of("w.1", LEASE + " 1")))
				.isPositive();
		}
	}

	@Test
	void releaseWithoutWaitersPublishesNothing() {
		take(Kept.PLAIN, "a.1");
		long before = published();
		release(Kept.PLAIN, "a.1");
		assertThat(published()).isEqualTo(before);
	}

	private static long published() {
		return server.commandCalls().getOrDefault("publish", 0L);
	}

	/**
	 * Return how many milliseconds remain until a deadline beside the line.
	 */
	private static long deadline(String field) {
		return till(field) - now();
	}

	private static long till(String field) {
		return Long.parseLong(String.valueOf(server.command("HGET", "{k}:alive", field)));
	}

	private static long now() {
		List<?> time = (List<?>) server.command("TIME");
		return Long.parseLong(time.get(0).toString()) * 1000 + Long.parseLong(time.get(1).toString()) / 1000;
	}

	private static List<String> keys() {
		return ((List<?>) server.command("KEYS", "*")).stream().map(String::valueOf).toList();
	}

	private static long take(Kept layout, String owner) {
		// the sign says whether others may wait
		return Math.abs(run(layout, layout.scripts().acquire(), owner, LEASE + " 1"));
	}

	private static long join(Kept layout, String owner) {
		return run(layout, layout.scripts().acquire(), owner, LEASE + " 1 " + GRANT);
	}

	private static long release(Kept layout, String owner) {
		return run(layout, layout.scripts().release(), owner);
	}

	private static long leave(Kept layout, String owner) {
		return leave(layout, owner, GRANT);
	}

	private static long leave(Kept layout, String owner, String grant) {
		return run(layout, layout.scripts().leave(), owner, owner + " 1 " + grant);
	}

	private static String[] look(Kept layout, String owner) {
		return ((String) eval(layout.scripts().look(), layout.keys("k"), List.of(owner, GRANT, owner + " 1 " + GRANT)))
			.split(" ", -1);
	}

	private static long run(Kept layout, Script script, String... arguments) {
		return run(layout, "k", script, arguments);
	}

	private static long run(Kept layout, String key, Script script, String... arguments) {
		return (Long) eval(script, layout.keys(key), Arrays.asList(arguments));
	}

	private static Object eval(Script script, List<String> keys, List<String> arguments) {
		return server.command(ServerRunner.command(script, keys, arguments));
	}

	/**
	 * How a lock is kept on the server.
	 */
	enum Kept {

		PLAIN, REDISSON;

		LockScripts scripts() {
			return (this == REDISSON) ? LockScripts.REDISSON : LockScripts.PLAIN;
		}

		List<String> keys(String key) {
			List<String> keys = new ArrayList<>(
					List.of(key, COUNTER, TokenCounters.line(key), TokenCounters.alive(key)));
			if (this == REDISSON) {
				keys.addAll(List.of("redisson_lock_queue:{" + key + "}", "redisson_lock_timeout:{" + key + "}"));
			}
			return keys;
		}

		Inbox inbox(String jvm) throws Exception {
			return new Inbox(server, ((this == REDISSON) ? TokenCounters.REDISSON_CHANNELS : "app:") + jvm);
		}

		@Nullable String holder() {
			if (this != REDISSON) {
				return (String) server.command("GET", "k");
			}
			List<String> owners = new ArrayList<>();
			((List<?>) server.command("HKEYS", "k")).forEach((field) -> owners.add(field.toString()));
			assertThat(owners.remove("mode")).isEqualTo(!owners.isEmpty());
			assertThat(owners).hasSizeLessThan(2);
			return owners.isEmpty() ? null : owners.get(0);
		}

	}

}
