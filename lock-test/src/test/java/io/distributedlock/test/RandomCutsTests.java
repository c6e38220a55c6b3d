package io.distributedlock.test;

import java.util.List;
import java.util.OptionalLong;

import io.distributedlock.test.RandomCuts.Hold;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RandomCutsTests {

	@Test
	void consecutiveHoldersAreAccepted() {
		List<Hold> holds = List.of(hold(0, 10, 20, 1), hold(1, 20, 30, 2), hold(0, 31, 31, 3));
		assertThat(RandomCuts.overlaps(holds)).isEmpty();
		assertThat(RandomCuts.tokensThatDoNotRise(holds)).isEmpty();
	}

	@Test
	void overlappingHoldersAreFound() {
		List<Hold> holds = List.of(hold(0, 10, 100, 1), hold(1, 20, 30, 2), hold(2, 40, 50, 3));
		assertThat(RandomCuts.overlaps(holds)).hasSize(2);
	}

	@Test
	void repeatedTokenIsFound() {
		assertThat(RandomCuts.tokensThatDoNotRise(List.of(hold(0, 1, 2, 7), hold(1, 3, 4, 7)))).hasSize(1);
	}

	@Test
	void tokenMustBeHigherThanThoseOfHoldersThatBeganBeforeTheCall() {
		Hold earlier = hold(0, 10, 20, 2);
		assertThat(RandomCuts.tokensOlderThanTheirCalls(List.of(earlier, asked(9, 11, 1)))).isEmpty();
		assertThat(RandomCuts.tokensOlderThanTheirCalls(List.of(earlier, asked(11, 12, 1)))).hasSize(1);
		assertThat(RandomCuts.tokensOlderThanTheirCalls(List.of(earlier, asked(11, 12, 2)))).hasSize(1);
		assertThat(RandomCuts.tokensOlderThanTheirCalls(List.of(earlier, asked(11, 12, 3)))).isEmpty();
	}

	private static Hold asked(long asked, long from, long token) {
		return new Hold(1, asked, from, from, OptionalLong.of(token));
	}

	private static Hold hold(int node, long from, long until, long token) {
		return new Hold(node, from, from, until, OptionalLong.of(token));
	}

}
