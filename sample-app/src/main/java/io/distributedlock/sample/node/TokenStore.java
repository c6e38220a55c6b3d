package io.distributedlock.sample.node;

import java.util.Optional;

/**
 * Where the nodes share the tokens. It does not use locks.
 */
public interface TokenStore {

	/**
	 * Read the token that was written last.
	 * @param appId the account
	 * @return its token, if there is one that has not expired
	 */
	Optional<AccessToken> read(String appId);

	/**
	 * Write a new token.
	 * @param appId the account
	 * @param token its token
	 */
	void write(String appId, AccessToken token);

}
