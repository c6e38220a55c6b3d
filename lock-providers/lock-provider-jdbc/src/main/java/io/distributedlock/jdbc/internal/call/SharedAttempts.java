package io.distributedlock.jdbc.internal.call;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Lets one attempt for a key be under way at a time, in the name of all that this JVM
 * wants to make by then: if it is refused, so are the others, and if it is granted,
 * another owner has the key. The latest is made, since the callers of those before it may
 * have gone: a provider is not told of that. So calls that were cancelled leave no row of
 * attempts behind, of which each would take the key once more. Attempts to which the
 * answer did not apply are made first, in their order: others keep coming. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class SharedAttempts {

	/**
	 * The attempts that are not under way, for each key for which one is.
	 */
	private final ConcurrentHashMap<String, List<Attempt>> pending = new ConcurrentHashMap<>();

	private final Function<LeaseRequest, CompletionStage<@Nullable Lease>> backend;

	/**
	 * Create an object for one provider.
	 * @param backend makes an attempt on the database
	 */
	public SharedAttempts(Function<LeaseRequest, CompletionStage<@Nullable Lease>> backend) {
		this.backend = backend;
	}

	/**
	 * Make an attempt. Readers make their own, as they do not exclude each other.
	 * @param key that of all attempts that exclude each other
	 */
	public CompletionStage<@Nullable Lease> make(String key, LeaseRequest request) {
		if (request.type() == LockType.READ) {
			return this.backend.apply(request);
		}
		Attempt attempt = new Attempt(request);
		List<Attempt> none = new ArrayList<>();
		List<Attempt> waiting = this.pending.compute(key, (ignored, others) -> {
			if (others == null) {
				return none;
			}
			others.add(attempt);
			return others;
		});
		if (waiting == none) {
			make(key, attempt, List.of());
		}
		return attempt.result;
	}

	private void make(String key, Attempt attempt, List<Attempt> sharing) {
		CompletionStage<@Nullable Lease> answer;
		try {
			answer = this.backend.apply(attempt.request);
		}
		catch (RuntimeException | Error ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		answer.whenComplete((lease, failure) -> {
			try {
				List<Attempt> answered = new ArrayList<>();
				List<Attempt> again = new ArrayList<>();
				sharing.forEach(
						(other) -> ((failure != null || attempt.answers(other, lease)) ? answered : again).add(other));
				makeFirst(key, again);
				Failures.settle(attempt.result, lease, failure);
				answered.forEach((other) -> Failures.settle(other.result, null, failure));
			}
			finally {
				makeNext(key);
			}
		});
	}

	private void makeFirst(String key, List<Attempt> attempts) {
		attempts.forEach((each) -> each.isNext = true);
		this.pending.computeIfPresent(key, (ignored, others) -> {
			others.addAll(0, attempts);
			return others;
		});
	}

	private void makeNext(String key) {
		List<Attempt> next = new ArrayList<>();
		this.pending.computeIfPresent(key, (ignored, others) -> {
			next.addAll(others);
			others.clear();
			return next.isEmpty() ? null : others;
		});
		if (!next.isEmpty()) {
			make(key, next.remove(next.get(0).isNext ? 0 : next.size() - 1), next);
		}
	}

	/**
	 * One attempt.
	 */
	private static final class Attempt {

		private final LeaseRequest request;

		private final CompletableFuture<@Nullable Lease> result = new CompletableFuture<>();

		/**
		 * Whether it has shared an attempt whose answer did not apply to it.
		 */
		private boolean isNext;

		private Attempt(LeaseRequest request) {
			this.request = request;
		}

		/**
		 * Return whether the answer to this attempt is a refusal of another one, too.
		 */
		private boolean answers(Attempt other, @Nullable Lease lease) {
			// a place in the queue refuses fair attempts only
			return this.request.type() == other.request.type() && this.request.permits() == other.request.permits()
					&& (this.request.type() != LockType.SEMAPHORE || lease == null);
		}

	}

}
