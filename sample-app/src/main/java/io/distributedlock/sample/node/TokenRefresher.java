package io.distributedlock.sample.node;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Replaces a token that is missing, expires soon or was refused. A new token ends the old
 * one, so one caller of all nodes may do this at a time.
 */
@Service
class TokenRefresher {

	private final TokenStore store;

	private final TokenTimes times;

	private final WeChatClient weChat;

	TokenRefresher(TokenStore store, TokenTimes times, WeChatClient weChat) {
		this.store = store;
		this.times = times;
		this.weChat = weChat;
	}

	@DistributedLock(name = "wechat-token", key = "#appId", waitTime = "10s")
	public AccessToken refresh(String appId, @Nullable AccessToken seen, boolean refused) {
		// another node or thread may have refreshed it while this call waited
		Optional<AccessToken> shared = this.store.read(appId).filter(this.times::isUsable);
		if (shared.isPresent() && (seen == null || !shared.get().value().equals(seen.value()))) {
			return shared.get();
		}
		if (seen != null && !refused) {
			// a new token replaces the old one: wait for the sends that still use it
			LockSupport.parkNanos(this.times.untilUnused(seen).toNanos());
		}
		AccessToken fresh = this.weChat.fetchToken(appId);
		this.store.write(appId, fresh);
		return fresh;
	}

}
