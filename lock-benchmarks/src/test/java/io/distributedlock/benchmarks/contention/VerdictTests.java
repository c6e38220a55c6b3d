package io.distributedlock.benchmarks.contention;

import java.nio.file.Path;
import java.util.List;

import io.distributedlock.benchmarks.contention.contender.Candidates;
import io.distributedlock.benchmarks.contention.measure.Exclusion;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;
import io.distributedlock.benchmarks.contention.measure.Rows;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What makes a run fail.
 */
class VerdictTests {

	private static final Row ROW = Rows.named("no-lost-update");

	private Results results;

	@BeforeEach
	void open(@TempDir Path folder) throws Exception {
		this.results = Results.in(folder);
	}

	@Test
	void lockThatKeptOthersOutIsNoComplaint() {
		add("redis", 1000, 0, 0, 0);
		assertThat(complaints("redis")).isEmpty();
	}

	@Test
	void eachViolationIsAComplaintEvenOfOneRound() {
		add("redis", 1000, 0, 0, 0);
		add("redis", 1000, 3, 2, 1);
		add("redis", 1000, 0, 0, 0);
		assertThat(complaints("redis")).containsExactly("no-lost-update: redis: lost-updates: 3",
				"no-lost-update: redis: overlaps: 2", "no-lost-update: redis: tokens-not-risen: 1");
	}

	@Test
	void controlMustBeMissed() {
		add("no-lock", 1000, 900, 800, 0);
		assertThat(complaints("no-lock")).isEmpty();
		add("redis", 1000, 0, 0, 0);
		assertThat(complaints("no-lock", "redis")).isEmpty();
	}

	@Test
	void checkThatFindsNothingWithoutALockIsAComplaint() {
		add("no-lock", 1000, 0, 0, 0);
		assertThat(complaints("no-lock")).singleElement().asString().contains("no lost update was seen");
	}

	@Test
	void lockThatNobodyHadProvesNothing() {
		add("redis", 0, 0, 0, 0);
		assertThat(complaints("redis")).singleElement().asString().contains("nobody ever had the lock");
	}

	@Test
	void resultsOfAnEarlierRunProveNothing(@TempDir Path earlier) throws Exception {
		this.results = Results.in(earlier);
		add("redis", 1000, 0, 0, 0);
		this.results.write();
		this.results = Results.in(earlier);
		assertThat(complaints("redis")).singleElement().asString().contains("was not measured");
	}

	private void add(String candidate, int increments, int lost, int overlaps, int tokens) {
		this.results.add(ROW.name(), candidate, 1, "increments", increments);
		this.results.add(ROW.name(), candidate, 1, Exclusion.LOST, lost);
		this.results.add(ROW.name(), candidate, 1, Exclusion.OVERLAPS, overlaps);
		this.results.add(ROW.name(), candidate, 1, Exclusion.TOKENS, tokens);
	}

	private List<String> complaints(String... candidates) {
		return new Verdict(this.results).complaints(ROW, List.of(candidates).stream().map(Candidates::named).toList());
	}

}
