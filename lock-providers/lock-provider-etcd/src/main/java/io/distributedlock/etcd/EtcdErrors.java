package io.distributedlock.etcd;

import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure of jetcd means.
 */
final class EtcdErrors {

	/**
	 * What gRPC says of a request that had no answer in time: why the last try to connect
	 * has failed, or which server was asked.
	 */
	private static final Pattern INSIGHT = Pattern
		.compile(" cause=(?:[\\w.$]+: )?(?<cause>.+)|remote_addr=(?<address>[^]]+)");

	private EtcdErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof TimeoutException) {
			return new BackendException("etcd did not answer in time: check its address and that a majority runs", true,
					cause);
		}
		ErrorCode code = code(cause);
		if (code == null) {
			return new BackendException("the client of etcd failed with " + cause.getClass().getSimpleName(), false,
					cause);
		}
		String text = Failures.causes(cause).map(Throwable::getMessage).collect(Collectors.joining(" "));
		// etcd refuses a login with other codes too, so the text decides
		boolean ended = text.contains("invalid auth token") || text.contains("revision of auth store is old");
		if (text.contains("authentication failed") || text.contains("user name is empty")
				|| (code == ErrorCode.UNAUTHENTICATED && !ended)) {
			return new BackendException("etcd refuses the credentials: check the user name and the password", false,
					cause);
		}
		if (ended || text.contains("requested lease not found")) {
			// the next request has a new token, and a new lease
			return new BackendException("the etcd lease has ended, or the token of this client", true, cause);
		}
		if (text.contains("not supported for learner")) {
			// the next request may go to another member
			return new BackendException(
					"etcd answers by a member that does not vote yet: leave it out of the endpoints", true, cause);
		}
		return switch (code) {
			// no server answers, or there is no leader (UNAVAILABLE); the answer did not
			// come in time (DEADLINE_EXCEEDED); the request was ended before its answer
			// (CANCELLED, ABORTED). gRPC says UNKNOWN or INTERNAL where a connection
			// breaks in the middle of an answer
			case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, CANCELLED, UNKNOWN, INTERNAL -> new BackendException(
					"etcd cannot be reached or has no leader%s".formatted(where(cause, code)), true, cause);
			case RESOURCE_EXHAUSTED -> new BackendException(
					"etcd has no room or too many requests: compact and defragment it, or raise its quota", true,
					cause);
			// another try would be refused too, until somebody changes the role
			case PERMISSION_DENIED -> new BackendException(
					"etcd denies the user the prefix of locks: see the least rights in docs/providers/etcd.md", false,
					cause);
			default -> new BackendException("etcd failed with " + code, false, cause);
		};
	}

	static boolean isNotFound(Throwable failure) {
		return code(Failures.unwrap(failure)) == ErrorCode.NOT_FOUND
				|| String.valueOf(Failures.unwrap(failure).getMessage()).contains("requested lease not found");
	}

	private static String where(Throwable failure, ErrorCode code) {
		String words = Failures.ofConnection(failure);
		if (words.isEmpty()) {
			Matcher insight = INSIGHT.matcher(String.valueOf(failure.getMessage()));
			words = " (%s)".formatted(!insight.find() ? code : Objects.requireNonNullElseGet(insight.group("cause"),
					() -> "no answer from " + insight.group("address")));
		}
		return words;
	}

	/**
	 * Return the code of etcd or gRPC, or {@code null} if the failure comes from neither.
	 * The innermost: jetcd says of each login that fails that it was refused, also if no
	 * server has answered.
	 */
	private static @Nullable ErrorCode code(Throwable failure) {
		return Failures.causes(failure)
			.map((each) -> (each instanceof EtcdException etcdException) ? etcdException.getErrorCode()
					: (each instanceof StatusRuntimeException || each instanceof StatusException)
							? ErrorCode.valueOf(Status.fromThrowable(each).getCode().name()) : null)
			.filter(Objects::nonNull)
			.reduce((outer, inner) -> inner)
			.orElse(null);
	}

}
