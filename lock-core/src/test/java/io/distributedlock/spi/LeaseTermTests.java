package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.engine.internal.runtime.LockTimes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTermTests {

	@Test
	void localDeadlineLiesBeforeTheExpiry() {
		assertThat(new LeaseTerm(0, Duration.ofSeconds(30)).deadlineNanos())
			.isEqualTo(Duration.ofMillis(30_000 - 300 - 2).toNanos());
		assertThat(new LeaseTerm(0, Duration.ofMillis(5)).deadlineNanos()).isEqualTo(Duration.ofMillis(4).toNanos());
		assertThat(LockTimes.wholeMillis(Duration.ofNanos(1))).isEqualTo(Duration.ofMillis(1));
		assertThat(LockTimes.wholeMillis(Duration.ofNanos(1_000_001))).isEqualTo(Duration.ofMillis(2));
	}

}
