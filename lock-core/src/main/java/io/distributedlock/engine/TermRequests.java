package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The order of the requests for another term of one lease. An extension waits for the
 * answers to the renewals before it, and no renewal is sent while an extension is under
 * way: a renewal that the backend carries out later would cut the longer term short.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/010-open-requests.md
 */
final class TermRequests {

	private final ReentrantLock guard = new ReentrantLock();

	/**
	 * Each request is answered within the command time-out.
	 */
	private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

	private int extensions;

	/**
	 * Note a renewal that is about to be sent.
	 * @param answer completes with the answer to it
	 * @param held whether the hold goes on; asked inside the order of requests, so that
	 * whoever ends the hold and then asks for {@link #last()} knows of the renewal
	 * @return {@code false} if it must not be sent, since an extension is under way or
	 * the hold has ended
	 */
	boolean startRenewal(CompletableFuture<?> answer, BooleanSupplier held) {
		this.guard.lock();
		try {
			if (this.extensions > 0 || !held.getAsBoolean()) {
				return false;
			}
			this.last = this.last.isDone() ? answer
					: CompletableFuture.allOf(this.last, answer).exceptionally((failure) -> null);
			return true;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Send an extension once all requests before it are answered or have failed.
	 * @param send sends it
	 * @return completes with the term, {@code null} if the owner no longer has the lease
	 */
	CompletableFuture<@Nullable LeaseTerm> extend(Supplier<CompletableFuture<@Nullable LeaseTerm>> send) {
		CompletableFuture<@Nullable LeaseTerm> extension = new CompletableFuture<>();
		CompletableFuture<?> before = start(extension);
		// not inside the guard: the provider's call may block
		before.handle((ignored, failure) -> send).thenCompose(Supplier::get).whenComplete((term, failure) -> {
			if (failure != null) {
				extension.completeExceptionally(failure);
			}
			else {
				extension.complete(term);
			}
		});
		return extension.whenComplete((term, failure) -> end());
	}

	/**
	 * Return whether no request is under way.
	 */
	boolean isIdle() {
		this.guard.lock();
		try {
			return this.extensions == 0 && this.last.isDone();
		}
		finally {
			this.guard.unlock();
		}
	}

	private CompletableFuture<?> start(CompletableFuture<?> extension) {
		this.guard.lock();
		try {
			CompletableFuture<?> before = this.last;
			this.extensions++;
			this.last = extension;
			return before;
		}
		finally {
			this.guard.unlock();
		}
	}

	private void end() {
		this.guard.lock();
		try {
			this.extensions--;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Return what completes when the backend has answered, or failed, all requests so
	 * far.
	 */
	CompletableFuture<?> last() {
		this.guard.lock();
		try {
			return this.last;
		}
		finally {
			this.guard.unlock();
		}
	}

}
