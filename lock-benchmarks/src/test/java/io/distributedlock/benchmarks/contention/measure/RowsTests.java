package io.distributedlock.benchmarks.contention.measure;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidates;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who takes part in which row, and in which order.
 */
class RowsTests {

	@Test
	void asynchronousReleaseIsMeasuredWithoutContentionOnly() {
		for (String name : List.of("redis-async-release", "redisson-async-release")) {
			assertThat(rowsOf(name)).containsExactly("uncontended", "uncontended-16");
		}
	}

	@Test
	void strategiesAreMeasuredOnTheDatabasesThatOfferThem() {
		assertThat(rowsOf("mariadb-advisory")).contains("three-jvms-mariadb", "uncontended-mariadb");
		assertThat(admitted("three-jvms-h2")).contains("h2", "h2-for-update", "h2-version");
		assertThat(Candidates.all()).extracting(Candidate::name).doesNotContain("h2-advisory");
	}

	@Test
	void controlTakesPartInTheProofOnly() {
		assertThat(rowsOf("no-lock")).containsExactly("no-lost-update", "no-lost-update-8");
		assertThat(admitted("no-lost-update")).contains("redis", "redis-fair", "memcached", "h2-version")
			.doesNotContain("by-hand", "redis-renewed", "redis-async-release", "reentrant-lock", "local");
	}

	@Test
	void limitRunsBeforeAndAfterEachOther() {
		Solo row = (Solo) Rows.named("uncontended");
		assertThat(row.order(candidates("redis", "by-hand", "redisson"))).extracting(Candidate::name)
			.containsExactly("by-hand", "redis", "by-hand", "redisson", "by-hand");
		assertThat(row.order(candidates("redis", "redisson"))).extracting(Candidate::name)
			.containsExactly("redis", "redisson");
	}

	private static List<String> rowsOf(String candidate) {
		return Rows.all().stream().filter((row) -> row.admits(Candidates.named(candidate))).map(Row::name).toList();
	}

	private static List<String> admitted(String row) {
		return Candidates.all().stream().filter(Rows.named(row)::admits).map(Candidate::name).toList();
	}

	private static List<Candidate> candidates(String... names) {
		return Stream.of(names).map(Candidates::named).toList();
	}

}
