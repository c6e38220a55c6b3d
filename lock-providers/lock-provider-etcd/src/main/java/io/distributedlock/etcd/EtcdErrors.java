package io.distributedlock.etcd;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.distributedlock.spi.BackendException;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;

/**
 * Says what a failure of jetcd means.
 */
final class EtcdErrors {

	private EtcdErrors() {
	}

	static BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof TimeoutException) {
			return new BackendException("etcd did not answer in time: check its address and that a majority runs", true,
					cause);
		}
		String text = String.valueOf(cause.getMessage());
		if (text.contains("authentication failed") || text.contains("user name is empty")
				|| code(cause) == ErrorCode.UNAUTHENTICATED) {
			return new BackendException("etcd refuses the credentials: check the user name and the password", false,
					cause);
		}
		return switch (code(cause)) {
			case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, CANCELLED, RESOURCE_EXHAUSTED -> new BackendException(
					"etcd cannot be reached or has no leader (%s)".formatted(code(cause)), true, cause);
			case PERMISSION_DENIED,
					UNAUTHENTICATED ->
				new BackendException(
						"etcd denies the user the prefix of locks: see the least rights in docs/providers/etcd.md",
						false, cause);
			default -> new BackendException("etcd failed with " + code(cause), false, cause);
		};
	}

	static boolean isNotFound(Throwable failure) {
		return code(unwrap(failure)) == ErrorCode.NOT_FOUND
				|| String.valueOf(unwrap(failure).getMessage()).contains("requested lease not found");
	}

	private static ErrorCode code(Throwable cause) {
		if (cause instanceof EtcdException etcdException) {
			return etcdException.getErrorCode();
		}
		if (cause instanceof StatusRuntimeException statusException) {
			return ErrorCode.valueOf(statusException.getStatus().getCode().name());
		}
		if (cause instanceof StatusException statusException) {
			return ErrorCode.valueOf(statusException.getStatus().getCode().name());
		}
		Status status = Status.fromThrowable(cause);
		return (status.getCode() == Status.Code.OK) ? ErrorCode.UNKNOWN : ErrorCode.valueOf(status.getCode().name());
	}

	private static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

}
