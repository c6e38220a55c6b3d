package io.distributedlock.application;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.distributedlock.application.Crowd.Outcome;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Old and new nodes exclude each other on the same full key of the same Redis, and
 * neither waits for long while the others work.
 */
class OldNodesTests {

	private static final Duration OFTEN = Duration.ofMillis(5);

	/**
	 * How often lock4j and Spring Integration ask unless they are told otherwise.
	 */
	private static final Duration USUAL = Duration.ofMillis(100);

	private static RedisTestServer server;

	@TempDir
	private Path folder;

	@BeforeAll
	static void start() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@ParameterizedTest
	@CsvSource({ "lock4j-template, redis-beside-polling, lock4j:seat#A.7",
			"shedlock, redis-beside-polling, job-lock:default:hourly-report",
			"shedlock-safe-update, redis-beside-polling, job-lock:default:daily-report",
			"spring-integration, redis-beside-polling, files:a.csv",
			"spring-integration-told, redis-beside-polling, files:b.csv", "set-nx, redis-beside-polling, lock:order:42",
			"redisson-by-hand, redisson, shop:lock:stock:a",
			"redisson-by-hand, redisson-beside-polling, shop:lock:stock:b",
			"redisson-spin, redisson-beside-polling, shop:lock:stock:c", "lock4j-redisson, redisson, lock4j:seat#A.8",
			"klock, redisson, lock.invoice-7-May" })
	void nothingIsLost(String oldKind, String newKind, String key) throws IOException {
		Outcome outcome = new Crowd(server.url(), key, OFTEN, this.folder).with(1, 3, oldKind)
			.with(2, 2, newKind)
			.work(Duration.ofSeconds(3));
		assertThat(outcome.lost()).as("%s", outcome).isZero();
		assertThat(outcome.shares()).allSatisfy((share) -> assertThat(share.failures()).isZero());
		assertThat(server.command("EXISTS", key)).isEqualTo(0L);
	}

	/**
	 * An old node that asks at intervals leaves no trace while it waits.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 1, lock4j-template, 2, 3, redis-beside-polling",
			"2, 3, lock4j-template, 1, 1, redis-beside-polling", "1, 1, spring-integration, 2, 3, redis-beside-polling",
			"2, 3, spring-integration, 1, 1, redis-beside-polling",
			"1, 1, spring-integration-told, 2, 3, redis-beside-polling", "1, 1, set-nx, 2, 3, redis-beside-polling",
			"2, 3, set-nx, 1, 1, redis-beside-polling", "1, 1, redisson-spin, 2, 3, redisson-beside-polling",
			"2, 3, redisson-spin, 1, 1, redisson-beside-polling", "1, 1, redisson-by-hand, 2, 3, redisson",
			"2, 3, redisson-by-hand, 1, 1, redisson", "1, 1, lock4j-redisson, 2, 3, redisson",
			"2, 3, lock4j-redisson, 1, 1, redisson" })
	void nobodyWaitsForMuchLongerThanTheOthers(int oldNodes, int oldThreads, String oldKind, int newNodes,
			int newThreads, String newKind) throws IOException {
		Duration time = Duration.ofSeconds(8);
		Outcome outcome = new Crowd(server.url(), "order:42", USUAL, this.folder).with(oldNodes, oldThreads, oldKind)
			.with(newNodes, newThreads, newKind)
			.work(time);
		assertThat(outcome.lost()).as("%s", outcome).isZero();
		// old threads of one node keep each other out before they ask the server
		Duration old = outcome.shares().get(0).longestAbsenceOfBest();
		Duration ours = outcome.shares().get(1).longestWait();
		// who starves waits for the whole time
		assertThat(List.of(old, ours)).as("%s", outcome).allMatch((wait) -> wait.compareTo(time.dividedBy(2)) < 0);
		assertThat(old).as("%s", outcome).isLessThan(ours.multipliedBy(10));
		assertThat(ours).as("%s", outcome).isLessThan(old.multipliedBy(10));
	}

}
