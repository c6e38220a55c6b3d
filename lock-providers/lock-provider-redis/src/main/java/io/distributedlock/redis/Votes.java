package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

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

	private int majority() {
		return this.servers / 2 + 1;
	}

}
