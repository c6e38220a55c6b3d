package io.distributedlock.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockOwner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who has a key, from the answers of five servers.
 */
class RedlockCensusTests {

	/**
	 * The answer of a server that knows no owner.
	 */
	private static final LockOwner NONE = owner("none", 0);

	private final Throwable failure = new IllegalStateException("down");

	@Test
	void majorityMakesAnOwner() {
		assertThat(census(owner("a", 9), owner("a", 8), owner("b", 9), owner("a", 7), NONE).owners())
			.containsExactly(owner("a", 7));
	}

	@Test
	void minorityIsNoOwner() {
		assertThat(census(owner("a", 9), owner("a", 8), owner("b", 9), NONE, NONE).owners()).isEmpty();
		assertThat(census(NONE, NONE, NONE).owners()).isEmpty();
	}

	@Test
	void leaseRunsAsLongAsAMajorityKeepsIt() {
		assertThat(census(owner("a", 5), owner("a", 1), owner("a", 9), owner("a", 7), owner("a", 3)).owners())
			.containsExactly(owner("a", 5));
		assertThat(census(owner("a", 5), owner("a", -1), owner("a", 9), NONE, NONE).owners())
			.as("one server has no expiry")
			.containsExactly(owner("a", 5));
		assertThat(census(owner("a", -1), owner("a", -1), owner("a", -1), owner("a", 7), NONE).owners())
			.containsExactly(owner("a", -1));
	}

	@Test
	void serversThatFailedCountAsNeither() {
		assertThat(census(owner("a", 9), owner("a", 8), owner("a", 7)).owners()).hasSize(1);
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> census(owner("a", 9), owner("a", 8), NONE).owners())
			.as("a third server could have this owner")
			.withMessageContaining("2 of 5 servers")
			.withCause(this.failure);
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> census(NONE, NONE).owners())
			.withMessageContaining("3 of 5 servers");
	}

	private RedlockCensus census(LockOwner... answers) {
		return new RedlockCensus(5,
				Arrays.stream(answers)
					.map((answer) -> NONE.equals(answer) ? List.<LockOwner>of() : List.of(answer))
					.toList(),
				(answers.length < 5) ? this.failure : null);
	}

	private static LockOwner owner(String id, int seconds) {
		return new LockOwner(id, LockType.EXCLUSIVE, OptionalLong.empty(),
				(seconds < 0) ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds)));
	}

}
