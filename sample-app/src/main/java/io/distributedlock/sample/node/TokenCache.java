package io.distributedlock.sample.node;

import java.util.Optional;

/**
 * Where the nodes share the token. It does not use locks.
 */
interface TokenCache {

	Optional<AccessToken> read(int epoch);

	void write(int epoch, AccessToken token);

}
