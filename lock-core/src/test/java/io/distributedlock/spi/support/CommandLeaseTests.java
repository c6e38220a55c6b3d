package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LeaseTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CommandLeaseTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final LeaseTerm term = new LeaseTerm(System.nanoTime(), LONG);

	@Test
	void renewedTermBeginsBeforeTheCommandIsSent() {
		long[] sentAt = new long[1];
		LeaseTerm renewed = get(lease(true, sentAt).renew(LONG));
		assertThat(renewed).isNotNull();
		assertThat(renewed.startNanos()).isLessThanOrEqualTo(sentAt[0]);
		assertThat(renewed.granted()).isEqualTo(LONG);
	}

	@Test
	void ownerThatNoLongerHasTheLeaseGetsNoTerm() {
		assertThat(get(lease(false, new long[1]).renew(LONG))).isNull();
	}

	@Test
	void releaseMayBeReplaced() {
		CommandLease lease = lease(true, new long[1]);
		assertThat(get(lease.release())).isTrue();
		assertThat(get(lease.withEnding(() -> CompletableFuture.completedFuture(false)).release())).isFalse();
	}

	private CommandLease lease(boolean had, long[] sentAt) {
		return new CommandLease("k", this.term, CommandLease.renewal((leaseTime) -> {
			sentAt[0] = System.nanoTime();
			return CompletableFuture.completedFuture(had);
		}), () -> CompletableFuture.completedFuture(true));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
