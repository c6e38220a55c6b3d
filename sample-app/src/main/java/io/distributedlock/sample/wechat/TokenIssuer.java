package io.distributedlock.sample.wechat;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.sample.DemoClock;

/**
 * Issues tokens by the rule that makes a lock necessary: only one token of an account is
 * valid, and a new one replaces it.
 */
public final class TokenIssuer {

	private static final double EARLY = 0.5;

	private final Map<String, Account> accounts = new ConcurrentHashMap<>();

	private final Duration lifetime;

	/**
	 * Create an issuer whose tokens are valid for two hours of the fast clock.
	 */
	public TokenIssuer() {
		this(DemoClock.real(Duration.ofHours(2)));
	}

	/**
	 * Create an issuer.
	 * @param lifetime how long its tokens are valid
	 */
	public TokenIssuer(Duration lifetime) {
		this.lifetime = lifetime;
	}

	Duration lifetime() {
		return this.lifetime;
	}

	String issue(String appId) {
		String token = UUID.randomUUID().toString().replace("-", "");
		Issued fresh = new Issued(token, System.nanoTime(), this.lifetime);
		this.accounts.merge(appId, new Account(fresh, 1, 0), (account, first) -> account.replace(fresh));
		return token;
	}

	boolean isValid(String token) {
		return this.accounts.values().stream().anyMatch((account) -> account.current().isValid(token));
	}

	/**
	 * Return how many tokens were issued for an account.
	 * @param appId the account
	 * @return the count since the start
	 */
	public long issued(String appId) {
		Account account = this.accounts.get(appId);
		return (account != null) ? account.issued() : 0;
	}

	/**
	 * Return how many tokens of an account were replaced in the first half of their
	 * lifetime.
	 * @param appId the account
	 * @return the count since the start
	 */
	public long replacedEarly(String appId) {
		Account account = this.accounts.get(appId);
		return (account != null) ? account.replacedEarly() : 0;
	}

	private record Account(Issued current, long issued, long replacedEarly) {

		Account replace(Issued fresh) {
			return new Account(fresh, this.issued + 1, this.replacedEarly + (this.current.age() < EARLY ? 1 : 0));
		}

	}

	private record Issued(String token, long issuedAt, Duration lifetime) {

		boolean isValid(String asked) {
			return this.token.equals(asked) && age() < 1;
		}

		private double age() {
			return (double) (System.nanoTime() - this.issuedAt) / this.lifetime.toNanos();
		}

	}

}
