package io.distributedlock.sample.node;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Service;

/**
 * The tokens of the accounts: those that this node knows, those that the nodes share, or
 * new ones.
 */
@Service
class AccessTokens {

	private final TokenStore store;

	private final TokenRefresher refresher;

	private final TokenTimes times;

	private final Map<String, AccessToken> known = new ConcurrentHashMap<>();

	AccessTokens(TokenStore store, TokenRefresher refresher, TokenTimes times) {
		this.store = store;
		this.refresher = refresher;
		this.times = times;
	}

	/**
	 * Return a token that is valid for long enough to send a message.
	 */
	AccessToken current(String appId) {
		AccessToken mine = this.known.get(appId);
		if (mine != null && this.times.isUsable(mine)) {
			return mine;
		}
		Optional<AccessToken> shared = this.store.read(appId);
		AccessToken token = shared.filter(this.times::isUsable)
			.orElseGet(() -> this.refresher.refresh(appId, shared.orElse(null), false));
		this.known.put(appId, token);
		return token;
	}

	/**
	 * Replace a token that was refused.
	 */
	void replace(String appId, AccessToken refused) {
		this.known.put(appId, this.refresher.refresh(appId, refused, true));
	}

}
