package io.distributedlock.benchmarks.contention.measure;

import java.util.List;

import io.distributedlock.benchmarks.contention.worker.Recording;
import io.distributedlock.benchmarks.contention.worker.Recording.Section;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that violations are found: otherwise a run could not find any.
 */
class ExclusionTests {

	@Test
	void sectionsThatOverlapAreViolations() {
		assertThat(of(section(0, 0, 10, 1), section(0, 9, 19, 2), section(0, 15, 16, 3)).overlaps()).isEqualTo(2);
		assertThat(of(section(0, 0, 10, 1), section(0, 10, 20, 2)).overlaps()).isZero();
		assertThat(of(section(0, 0, 10, 1), section(1, 5, 20, 2)).overlaps()).as("other key").isZero();
	}

	@Test
	void tokensMustRiseInTheOrderOfTheHolds() {
		assertThat(of(section(0, 5, 6, 8), section(0, 0, 1, 7), section(1, 9, 10, 1)).tokensThatDidNotRise())
			.hasValue(0);
		assertThat(of(section(0, 0, 1, 7), section(0, 2, 3, 7)).tokensThatDidNotRise()).as("the same").hasValue(1);
		assertThat(of(section(0, 0, 1, 7), section(0, 2, 3, 5), section(0, 4, 5, 6)).tokensThatDidNotRise())
			.as("lower than an earlier one")
			.hasValue(2);
	}

	@Test
	void tokenThatIsMissingIsAViolationOnlyIfOthersHaveOne() {
		assertThat(of(section(0, 0, 1, Recording.NO_TOKEN), section(0, 2, 3, Recording.NO_TOKEN)).values())
			.doesNotContainKey(Exclusion.TOKENS);
		assertThat(of(section(0, 0, 1, 7), section(0, 2, 3, Recording.NO_TOKEN)).values())
			.containsEntry(Exclusion.TOKENS, 1.0);
	}

	@Test
	void incrementsThatAreNotInTheNumbersAreLost() {
		assertThat(new Exclusion(List.of(), 10, 7).values()).containsEntry(Exclusion.LOST, 3.0);
	}

	private static Exclusion of(Section... sections) {
		return new Exclusion(List.of(sections), 0, 0);
	}

	private static Section section(int key, long entered, long left, long token) {
		return new Section(0, 0, key, entered, entered, left, token);
	}

}
