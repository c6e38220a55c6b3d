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

	private static final Throwable FAILURE = new IllegalStateException("down");

	@Test
	void majorityMakesAnOwner() {
		assertThat(census(has("a", 9), has("a", 8), has("b", 9), has("a", 7), none()).owners())
			.containsExactly(owner("a", 7));
	}

	@Test
	void minorityIsNoOwner() {
		assertThat(census(has("a", 9), has("a", 8), has("b", 9), none(), none()).owners()).isEmpty();
		assertThat(census(none(), none(), none()).owners()).isEmpty();
	}

	@Test
	void leaseRunsAsLongAsAMajorityKeepsIt() {
		assertThat(census(has("a", 5), has("a", 1), has("a", 9), has("a", 7), has("a", 3)).owners())
			.containsExactly(owner("a", 5));
		assertThat(census(has("a", 5), has("a", -1), has("a", 9), none(), none()).owners())
			.as("one server has no expiry")
			.containsExactly(owner("a", 5));
		assertThat(census(has("a", -1), has("a", -1), has("a", -1), has("a", 7), none()).owners())
			.containsExactly(owner("a", -1));
	}

	@Test
	void serversThatFailedCountAsNeither() {
		assertThat(census(has("a", 9), has("a", 8), has("a", 7)).owners()).hasSize(1);
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> census(has("a", 9), has("a", 8), none()).owners())
			.as("a third server could have this owner")
			.withMessageContaining("2 of 5 servers")
			.withCause(FAILURE);
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> census(none(), none()).owners())
			.withMessageContaining("3 of 5 servers");
	}

	@SafeVarargs
	private static RedlockCensus census(List<LockOwner>... answers) {
		return new RedlockCensus(5, Arrays.asList(answers), (answers.length < 5) ? FAILURE : null);
	}

	private static List<LockOwner> has(String id, int seconds) {
		return List.of(owner(id, seconds));
	}

	private static LockOwner owner(String id, int seconds) {
		return new LockOwner(id, LockType.EXCLUSIVE, OptionalLong.empty(),
				(seconds < 0) ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds)));
	}

	private static List<LockOwner> none() {
		return List.of();
	}

}
