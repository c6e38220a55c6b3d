package io.distributedlock.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * Lets one attempt for a key be under way at a time, in the name of all that this JVM
 * wants to make by then: if it is refused, so are the others, and if it is granted,
 * another owner has the key. The latest is made, since the callers of those before it may
 * have gone: a provider is not told of that. So calls that were cancelled leave no row of
 * attempts behind, of which each would take the key once more. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
final class SharedAttempts {

	/**
	 * The attempts that are not under way, for each key for which one is.
	 */
	private final ConcurrentHashMap<String, List<Attempt>> pending = new ConcurrentHashMap<>();

	/**
	 * Make an attempt. Readers make their own, as they do not exclude each other.
	 * @param backend makes an attempt on the database
	 */
	CompletionStage<@Nullable Lease> make(LeaseRequest request,
			Function<LeaseRequest, CompletionStage<@Nullable Lease>> backend) {
		if (request.type() == LockType.READ) {
			return backend.apply(request);
		}
		Attempt attempt = new Attempt(request, backend, new CompletableFuture<>());
		String key = TableLeases.rowOf(request);
		this.pending.compute(key, (ignored, others) -> {
			List<Attempt> all = (others != null) ? others : new ArrayList<>();
			// the first is under way from now on
			if (others != null) {
				all.add(attempt);
			}
			else {
				attempt.isFirst = true;
			}
			return all;
		});
		if (attempt.isFirst) {
			make(key, attempt, List.of());
		}
		return attempt.result;
	}

	private void make(String key, Attempt attempt, List<Attempt> sharing) {
		CompletionStage<@Nullable Lease> answer;
		try {
			answer = attempt.backend.apply(attempt.request);
		}
		catch (RuntimeException | Error ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		answer.whenComplete((lease, failure) -> {
			try {
				attempt.complete(lease, failure);
				sharing.forEach((other) -> share(key, attempt, other, lease, failure));
			}
			finally {
				makeNext(key);
			}
		});
	}

	private void share(String key, Attempt made, Attempt other, @Nullable Lease lease, @Nullable Throwable failure) {
		// a place in the queue refuses fair attempts only
		boolean another = made.request.type() != other.request.type()
				|| made.request.permits() != other.request.permits()
				|| (made.request.type() == LockType.SEMAPHORE && lease != null);
		if (failure == null && another) {
			this.pending.computeIfPresent(key, (ignored, others) -> {
				others.add(0, other);
				return others;
			});
		}
		else {
			other.complete(null, failure);
		}
	}

	private void makeNext(String key) {
		List<Attempt> next = new ArrayList<>();
		this.pending.computeIfPresent(key, (ignored, others) -> {
			next.addAll(others);
			others.clear();
			return next.isEmpty() ? null : others;
		});
		if (!next.isEmpty()) {
			make(key, next.remove(next.size() - 1), next);
		}
	}

	/**
	 * One attempt.
	 */
	private static final class Attempt {

		private final LeaseRequest request;

		private final Function<LeaseRequest, CompletionStage<@Nullable Lease>> backend;

		private final CompletableFuture<@Nullable Lease> result;

		private boolean isFirst;

		private Attempt(LeaseRequest request, Function<LeaseRequest, CompletionStage<@Nullable Lease>> backend,
				CompletableFuture<@Nullable Lease> result) {
			this.request = request;
			this.backend = backend;
			this.result = result;
		}

		private void complete(@Nullable Lease lease, @Nullable Throwable failure) {
			if (failure != null) {
				this.result.completeExceptionally(failure);
			}
			else {
				this.result.complete(lease);
			}
		}

	}

}
