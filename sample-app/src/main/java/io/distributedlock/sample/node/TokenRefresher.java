package io.distributedlock.sample.node;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.NodeReport.Activity;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Replaces a token that is missing, expires soon or was refused.
 */
@Component
class TokenRefresher {

	private final TokenCache cache;

	private final WeChatClient weChat;

	private final Coordinator coordinator;

	private final ReentrantLock localLock = new ReentrantLock();

	TokenRefresher(TokenCache cache, WeChatClient weChat, Coordinator coordinator) {
		this.cache = cache;
		this.weChat = weChat;
		this.coordinator = coordinator;
	}

	/**
	 * Refresh with the distributed lock: one node at a time.
	 */
	@DistributedLock(name = "wechat-token", key = "#appId", leaseTime = "3s", waitTime = "10s")
	public AccessToken refreshUnderLock(String appId, int epoch, @Nullable AccessToken seen, boolean refused) {
		return refresh(appId, epoch, seen, refused);
	}

	/**
	 * Refresh with a lock inside this JVM, as it is often done: one thread of each node
	 * at a time, but several nodes together.
	 */
	public AccessToken refreshOnEachNode(String appId, int epoch, @Nullable AccessToken seen, boolean refused) {
		this.localLock.lock();
		try {
			return refresh(appId, epoch, seen, refused);
		}
		finally {
			this.localLock.unlock();
		}
	}

	private AccessToken refresh(String appId, int epoch, @Nullable AccessToken seen, boolean refused) {
		// another node or thread may have refreshed it while this call waited
		Optional<AccessToken> cached = this.cache.read(epoch).filter(AccessToken::isUsable);
		if (cached.isPresent() && !cached.get().equals(seen)) {
			return cached.get();
		}
		this.coordinator.report(Activity.REFRESHING);
		if (seen != null && !refused) {
			// a new token replaces the old one: wait for the sends that still use it
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(seen.drainMillis()));
		}
		AccessToken fresh = this.weChat.fetchToken(appId);
		this.cache.write(epoch, fresh);
		return fresh;
	}

}
