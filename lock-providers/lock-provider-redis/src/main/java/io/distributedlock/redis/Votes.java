package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * The answers of independent servers to one command.
 *
 * @param servers how many servers there are
 * @param yes how many answered yes
 * @param no how many answered no
 * @param failed how many failed or did not answer
 * @param failure the failure of one of these
 */
record Votes(int servers, int yes, int no, int failed, @Nullable Throwable failure) {

	/**
	 * Collect answers until a majority has decided, or all of them if none does.
	 */
	static CompletableFuture<Votes> collect(List<CompletionStage<Boolean>> answers) {
		CompletableFuture<Votes> result = new CompletableFuture<>();
		AtomicReference<Votes> count = new AtomicReference<>(new Votes(answers.size(), 0, 0, 0, null));
		answers.forEach((answer) -> answer.whenComplete((vote, failure) -> {
			Votes votes = count.updateAndGet((before) -> before.plus(vote, failure));
			if (votes.isWon() || votes.isLost() || votes.yes + votes.no + votes.failed == votes.servers) {
				result.complete(votes);
			}
		}));
		return result;
	}

	/**
	 * Return whether a majority answered yes.
	 * @return fails if neither a yes nor a no can have a majority
	 */
	static CompletionStage<Boolean> decide(List<CompletionStage<Boolean>> answers) {
		return collect(answers).thenApply((votes) -> {
			if (!votes.isWon() && !votes.isLost()) {
				throw votes.undecided();
			}
			return votes.isWon();
		});
	}

	boolean isWon() {
		return this.yes >= majority();
	}

	/**
	 * Return whether too many servers answered no for a majority of yes.
	 */
	boolean isLost() {
		return this.no > this.servers - majority();
	}

	private Votes plus(@Nullable Boolean vote, @Nullable Throwable reason) {
		if (vote == null) {
			return new Votes(this.servers, this.yes, this.no, this.failed + 1, reason);
		}
		return vote ? new Votes(this.servers, this.yes + 1, this.no, this.failed, this.failure)
				: new Votes(this.servers, this.yes, this.no + 1, this.failed, this.failure);
	}

	int majority() {
		return this.servers / 2 + 1;
	}

	/**
	 * Return the failure of a command for which neither a yes nor a no has a majority.
	 */
	BackendException undecided() {
		String last = (this.failure != null) ? ". The last one: " + RedisErrors.translate(this.failure).getMessage()
				: "";
		return new BackendException("%s of %s servers failed or answered too late, and a majority is needed%s"
			.formatted(this.failed, this.servers, last), true, this.failure);
	}

}
