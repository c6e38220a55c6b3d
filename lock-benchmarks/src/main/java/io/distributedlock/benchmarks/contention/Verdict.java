package io.distributedlock.benchmarks.contention;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.distributedlock.benchmarks.contention.contender.Candidate;
import io.distributedlock.benchmarks.contention.contender.Candidate.Trait;
import io.distributedlock.benchmarks.contention.measure.Exclusion;
import io.distributedlock.benchmarks.contention.measure.Results;
import io.distributedlock.benchmarks.contention.measure.Row;

/**
 * Says what is wrong with a run: a lock that did not keep others out, a contender that
 * was not measured, or a control that nobody missed.
 *
 * @param results what was measured
 */
record Verdict(Results results) {

	private static final List<String> VIOLATIONS = List.of(Exclusion.LOST, Exclusion.OVERLAPS, Exclusion.TOKENS);

	List<String> complaints(Row row, List<Candidate> candidates) {
		List<String> complaints = new ArrayList<>();
		Map<String, Map<String, double[]>> measured = this.results.row(row.name());
		for (Candidate candidate : candidates) {
			String who = "%s: %s: ".formatted(row.name(), candidate.name());
			if (!this.results.isNew(row.name(), candidate.name())) {
				complaints.add(who + "was not measured");
				continue;
			}
			Map<String, double[]> values = measured.getOrDefault(candidate.name(), Map.of());
			if (values.containsKey("increments") && sum(values, "increments") == 0) {
				complaints.add(who + "nobody ever had the lock");
			}
			else if (!candidate.is(Trait.CONTROL)) {
				VIOLATIONS.stream()
					.filter((violation) -> sum(values, violation) != 0)
					.forEach((violation) -> complaints
						.add("%s%s: %.0f".formatted(who, violation, sum(values, violation))));
			}
			else if (sum(values, Exclusion.LOST) == 0) {
				complaints.add(who + "did not lock, and no lost update was seen");
			}
		}
		return complaints;
	}

	private static double sum(Map<String, double[]> values, String name) {
		return Arrays.stream(values.getOrDefault(name, new double[0])).sum();
	}

}
