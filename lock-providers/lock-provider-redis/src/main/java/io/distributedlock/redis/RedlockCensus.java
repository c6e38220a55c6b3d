package io.distributedlock.redis;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import io.distributedlock.spi.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Whom independent servers know as owners of a key.
 *
 * @param servers how many servers were asked
 * @param answers the answers of those that have answered
 * @param failure why one of the others has not
 */
record RedlockCensus(int servers, List<List<LockOwner>> answers, @Nullable Throwable failure) {

	/**
	 * Return who has the key on a majority of the servers: one owner or none. Fails if
	 * the servers that have not answered could change the result.
	 */
	List<LockOwner> owners() {
		Votes open = votes(this.answers.size(), 0);
		Votes undecided = open.isWon() ? null : open;
		for (String id : all().map(LockOwner::id).distinct().toList()) {
			List<LockOwner> same = all().filter((owner) -> owner.id().equals(id)).toList();
			Votes votes = votes(same.size(), this.answers.size() - same.size());
			if (votes.isWon()) {
				return List.of(together(same, votes.majority()));
			}
			if (!votes.isLost()) {
				undecided = votes;
			}
		}
		if (undecided != null) {
			throw undecided.undecided();
		}
		return List.of();
	}

	private Stream<LockOwner> all() {
		return this.answers.stream().flatMap(List::stream);
	}

	private Votes votes(int yes, int no) {
		return new Votes(this.servers, yes, no, this.servers - this.answers.size(), this.failure);
	}

	/**
	 * Return an owner whose lease runs as long as it does on a majority of the servers.
	 */
	private static LockOwner together(List<LockOwner> same, int majority) {
		List<Duration> longestFirst = same.stream()
			.flatMap((owner) -> owner.remaining().stream())
			.sorted(Comparator.reverseOrder())
			.toList();
		int endless = same.size() - longestFirst.size();
		Optional<Duration> remaining = (endless >= majority) ? Optional.empty()
				: Optional.of(longestFirst.get(majority - endless - 1));
		return new LockOwner(same.get(0).id(), same.get(0).type(), OptionalLong.empty(), remaining);
	}

}
