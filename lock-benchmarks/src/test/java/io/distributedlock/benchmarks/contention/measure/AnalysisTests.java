package io.distributedlock.benchmarks.contention.measure;

import java.util.List;

import io.distributedlock.benchmarks.contention.worker.Recording;
import io.distributedlock.benchmarks.contention.worker.Recording.Section;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is computed from the sections of several JVMs.
 */
class AnalysisTests {

	private static final long MS = 1_000_000;

	@Test
	void timeInsideIsThatOfTheMeasuredPeriod() {
		// the period is from 0 to 100
		assertThat(analysis(section(0, -20, -10, 10), section(1, 0, 90, 120)).values()).containsEntry("inside", 20.0)
			.containsEntry("entries-per-second", 10.0);
	}

	@Test
	void changesOfTheJvmAreCounted() {
		assertThat(analysis(section(0, 0, 0, 1), section(1, 0, 2, 3), section(1, 3, 4, 5), section(1, 5, 6, 7),
				section(1, 7, 8, 9))
			.values()).containsEntry("crossing", 25.0);
	}

	@Test
	void whoAskedLaterAndEntersEarlierOvertakes() {
		assertThat(analysis(section(0, 20, 30, 31), section(1, 0, 40, 41)).values()).containsEntry("overtaken", 50.0);
		assertThat(analysis(section(0, 3, 30, 31), section(1, 0, 40, 41)).values()).as("together")
			.containsEntry("overtaken", 0.0);
	}

	@Test
	void aThreadThatIsNeverServedIsSeen() {
		assertThat(analysis(section(0, 0, 0, 1), section(0, 2, 3, 4)).values()).containsEntry("least-served", 0.0)
			.containsEntry("most-to-least", 4.0);
	}

	@Test
	void longestTimeWithoutASectionMayBeTheFirstOrTheLast() {
		assertThat(analysis(section(0, 0, 40, 41), section(1, 0, 60, 90)).values()).containsEntry("longest-free", 40.0);
		assertThat(analysis(section(0, 0, 10, 20), section(1, 0, 55, 90)).values()).containsEntry("longest-free", 35.0);
		assertThat(analysis(section(0, 0, 10, 20)).values()).containsEntry("longest-free", 80.0);
	}

	@Test
	void entriesAreCountedOverTime() {
		assertThat(analysis(section(0, 0, 10, 11), section(1, 0, 60, 61)).entriesOverTime(50)).containsEntry(0L, 0L)
			.containsEntry(50L, 1L)
			.containsEntry(100L, 2L);
	}

	private static Analysis analysis(Section... sections) {
		return new Analysis(List.of(sections), 0, 100 * MS, 2);
	}

	/**
	 * A section of the only thread of a JVM.
	 */
	private static Section section(int jvm, long asked, long entered, long left) {
		return new Section(jvm, jvm, 0, asked * MS, entered * MS, left * MS, Recording.NO_TOKEN);
	}

}
