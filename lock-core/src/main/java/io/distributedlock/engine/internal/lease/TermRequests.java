package io.distributedlock.engine.internal.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The order of the requests for another term of one lease. An extension is under way
 * alone: it waits for the answers to the renewals before it, and no renewal is sent
 * meanwhile. A renewal need not wait for the one before it, which would let the lease end
 * no earlier. Thread-safe.
 * <p>
 * Why: docs/decisions/010-open-requests.md
 */
final class TermRequests {

	private static final AtomicReferenceFieldUpdater<TermRequests, Order> ORDER = AtomicReferenceFieldUpdater
		.newUpdater(TermRequests.class, Order.class, "order");

	private volatile Order order = Order.NONE_YET;

	/**
	 * Note a renewal that is about to be sent.
	 * @param answer completes with the answer to it, or if it is not sent
	 * @param held whether the hold goes on; asked when the renewal is in the order, so
	 * that whoever ends the hold and then asks for {@link #last()} knows of it
	 * @return {@code false} if it must not be sent, since an extension is under way or
	 * the hold has ended
	 */
	boolean startRenewal(CompletableFuture<?> answer, BooleanSupplier held) {
		Order before = ORDER.getAndUpdate(this, (now) -> (now.extensions > 0) ? now : now.withRenewal(answer));
		return before.extensions == 0 && held.getAsBoolean();
	}

	/**
	 * Send an extension once all requests before it are answered or have failed.
	 * @param send sends it
	 * @param steps sends it later. Thousands may wait for one answer: if each was sent
	 * where the one before it ends, their stack would overflow
	 * @return completes with the term, {@code null} if the owner no longer has the lease
	 */
	CompletableFuture<@Nullable LeaseTerm> extend(Supplier<CompletableFuture<@Nullable LeaseTerm>> send,
			Executor steps) {
		CompletableFuture<@Nullable LeaseTerm> extension = new CompletableFuture<>();
		Order before = ORDER.getAndUpdate(this, (now) -> new Order(extension, now.extensions + 1));
		Executor where = before.last.isDone() ? Runnable::run : steps;
		before.last.handleAsync((ignored, failure) -> send, where)
			.thenCompose(Supplier::get)
			.whenComplete(Failures.settling(extension));
		return extension.whenComplete(
				(term, failure) -> ORDER.updateAndGet(this, (now) -> new Order(now.last, now.extensions - 1)));
	}

	/**
	 * Return whether no request is under way.
	 */
	boolean isIdle() {
		Order now = this.order;
		return now.extensions == 0 && now.last.isDone();
	}

	/**
	 * Return what completes when the backend has answered, or failed, all requests so
	 * far.
	 */
	CompletableFuture<?> last() {
		return this.order.last;
	}

	/**
	 * What was requested so far.
	 *
	 * @param last completes with the answers to all of it; each request is answered
	 * within the command time-out
	 * @param extensions how many extensions are under way
	 */
	private record Order(CompletableFuture<?> last, int extensions) {

		private static final Order NONE_YET = new Order(CompletableFuture.completedFuture(null), 0);

		private Order withRenewal(CompletableFuture<?> answer) {
			return new Order(this.last.isDone() ? answer
					: CompletableFuture.allOf(this.last, answer).exceptionally((failure) -> null), 0);
		}

	}

}
