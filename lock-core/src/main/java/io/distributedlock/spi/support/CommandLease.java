package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of which this JVM knows no more than the commands that renew and release it.
 * The name of the owner appears in no log.
 *
 * @param key the key, for the log
 * @param ownerId what names this grant on the backend, see {@link Lease#ownerId()}
 * @param fencingToken the fencing token, empty where there is none
 * @param fencingTokens how many there are, see {@link Lease#fencingTokens()}
 * @param term the first term
 * @param renewal renews, as {@link Lease#renew}
 * @param ending releases, as {@link Lease#release}
 * @since 0.1
 */
public record CommandLease(String key, Optional<String> ownerId, OptionalLong fencingToken, int fencingTokens,
		LeaseTerm term, Function<Duration, CompletionStage<@Nullable LeaseTerm>> renewal,
		Supplier<CompletionStage<Boolean>> ending) implements Lease {

	/**
	 * Create a lease without a fencing token.
	 * @param key the key, for the log
	 * @param term the first term
	 * @param renewal renews, as {@link Lease#renew}
	 * @param ending releases, as {@link Lease#release}
	 */
	public CommandLease(String key, LeaseTerm term, Function<Duration, CompletionStage<@Nullable LeaseTerm>> renewal,
			Supplier<CompletionStage<Boolean>> ending) {
		this(key, Optional.empty(), OptionalLong.empty(), 1, term, renewal, ending);
	}

	/**
	 * Return a renewal by one command. The new term begins before the command is sent:
	 * the backend counts from a later instant, so its lease does not end before the term.
	 * @param command is given the lease time; completes with whether the owner still had
	 * the lease
	 * @return the renewal
	 */
	public static Function<Duration, CompletionStage<@Nullable LeaseTerm>> renewal(
			Function<Duration, CompletionStage<Boolean>> command) {
		return (leaseTime) -> {
			LeaseTerm renewed = new LeaseTerm(System.nanoTime(), leaseTime);
			return command.apply(leaseTime).thenApply((had) -> had ? renewed : null);
		};
	}

	/**
	 * Return this lease with a fencing token.
	 * @param token the token
	 * @return the lease
	 */
	public CommandLease withFencingToken(long token) {
		return withFencingTokens(token, 1);
	}

	/**
	 * Return this lease with several fencing tokens.
	 * @param first the first one
	 * @param count how many there are
	 * @return the lease
	 */
	public CommandLease withFencingTokens(long first, int count) {
		return new CommandLease(this.key, this.ownerId, OptionalLong.of(first), count, this.term, this.renewal,
				this.ending);
	}

	/**
	 * Return this lease with the name of its owner.
	 * @param owner what names this grant on the backend
	 * @return the lease
	 */
	public CommandLease withOwnerId(String owner) {
		return new CommandLease(this.key, Optional.of(owner), this.fencingToken, this.fencingTokens, this.term,
				this.renewal, this.ending);
	}

	/**
	 * Return this lease with another release.
	 * @param anotherEnding releases, as {@link Lease#release}
	 * @return the lease
	 */
	public CommandLease withEnding(Supplier<CompletionStage<Boolean>> anotherEnding) {
		return new CommandLease(this.key, this.ownerId, this.fencingToken, this.fencingTokens, this.term, this.renewal,
				anotherEnding);
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.renewal.apply(leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.ending.get();
	}

	@Override
	public String toString() {
		return "CommandLease[key=%s, token=%s]".formatted(this.key, this.fencingToken);
	}

}
