package io.distributedlock.benchmarks.contention.measure;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a table shows of several rounds.
 */
class SpreadTests {

	@Test
	void oneValueIsShownAlone() {
		assertThat(Spread.RANGE.print("%.0f %%", 7)).isEqualTo("7 %");
		assertThat(Spread.QUARTILES.print("%.1f", 1.01, 1.02, 1.03)).isEqualTo("1.0");
	}

	@Test
	void rangeHasTheLowestAndTheHighest() {
		assertThat(Spread.RANGE.print("%.0f %%", 9, 7, 1, 8, 6)).isEqualTo("7 % (1–9)");
	}

	@Test
	void quartilesLeaveOutDisturbedSlices() {
		assertThat(Spread.QUARTILES.print("%.1f", 50, 1.1, 1.2, 1.3, 0.01)).isEqualTo("1.2 (1.1–1.3)");
	}

	@Test
	void whatNoRoundMayHaveIsNotHiddenByTheOthers() {
		assertThat(Spread.SUM.print("%.0f", 0, 0, 2, 0, 1)).isEqualTo("3");
	}

}
