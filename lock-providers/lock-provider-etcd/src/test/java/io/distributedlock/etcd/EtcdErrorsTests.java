package io.distributedlock.etcd;

import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;

import io.distributedlock.spi.BackendException;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdErrors}.
 */
class EtcdErrorsTests {

	@ParameterizedTest
	@EnumSource(names = { "UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "RESOURCE_EXHAUSTED", "UNKNOWN",
			"INTERNAL" })
	void brokenConnectionIsTriedAgain(Status.Code code) {
		assertThat(translated(code).isRetryable()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "OK", "UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED",
			"RESOURCE_EXHAUSTED", "UNKNOWN", "INTERNAL" })
	void refusalIsNotTriedAgain(Status.Code code) {
		assertThat(translated(code).isRetryable()).isFalse();
	}

	/**
	 * UNAVAILABLE before etcd 3.6.
	 */
	@ParameterizedTest
	@EnumSource(names = { "UNAVAILABLE", "FAILED_PRECONDITION" })
	void refusalOfAMemberThatDoesNotVoteIsTriedAgain(Status.Code code) {
		BackendException translated = EtcdErrors.translate(
				code.toStatus().withDescription("etcdserver: rpc not supported for learner").asRuntimeException());
		assertThat(translated.isRetryable()).isTrue();
		assertThat(translated).hasMessageContaining("does not vote");
	}

	/**
	 * jetcd tries once with a new token, and a place with a new lease: that may end, too.
	 */
	@ParameterizedTest
	@CsvSource({ "NOT_FOUND, etcdserver: requested lease not found", "UNAUTHENTICATED, etcdserver: invalid auth token",
			"INVALID_ARGUMENT, etcdserver: revision of auth store is old" })
	void refusalOfALeaseOrATokenThatHasEndedIsTriedAgain(Status.Code code, String description) {
		BackendException translated = EtcdErrors
			.translate(code.toStatus().withDescription(description).asRuntimeException());
		assertThat(translated.isRetryable()).isTrue();
		assertThat(translated).hasMessageContaining("lease has ended");
	}

	@Test
	void failureThatComesFromNeitherEtcdNorGrpcIsNotTriedAgain() {
		BackendException translated = EtcdErrors.translate(new CompletionException(new NullPointerException()));
		assertThat(translated.isRetryable()).isFalse();
		assertThat(translated).hasMessageContaining("NullPointerException");
	}

	/**
	 * jetcd says of each login that fails that it was refused.
	 */
	@Test
	void loginWithoutALeaderIsTriedAgain() {
		Status unanswered = Status.UNAVAILABLE.withDescription("etcdserver: no leader");
		BackendException translated = EtcdErrors
			.translate(Status.UNAUTHENTICATED.withCause(unanswered.asRuntimeException()).asRuntimeException());
		assertThat(translated.isRetryable()).isTrue();
		assertThat(translated).hasMessageContaining("no leader");
	}

	private static BackendException translated(Status.Code code) {
		return EtcdErrors.translate(new CompletionException(code.toStatus()
			.withDescription("channel closed")
			.withCause(new ClosedChannelException())
			.asException()));
	}

}
