package io.distributedlock.redisson.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.LongCodec;
import org.redisson.config.Config;
import org.redisson.config.ShardedSubscriptionMode;

/**
 * Knows whether releases are published on plain or on sharded channels. Redisson uses
 * sharded channels for its own locks on a cluster of Redis 7, and so must this library:
 * who listens to one type of channel does not hear the other. The client does not tell
 * what it uses, so the server is asked as the client has asked it. Thread-safe.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
public final class ReleaseChannels {

	private static final String PROBE = "redisson_lock__channel:{probe}";

	private final RedissonClient client;

	private final FirstConnection firstContact;

	private volatile @Nullable Boolean sharded;

	public ReleaseChannels(RedissonClient client, FirstConnection firstContact) {
		this.client = client;
		this.firstContact = firstContact;
		this.sharded = configured(client.getConfig());
	}

	/**
	 * Return what the configuration says, {@code null} if the server decides.
	 */
	private static @Nullable Boolean configured(Config config) {
		if (!config.isClusterConfig()) {
			return false;
		}
		ShardedSubscriptionMode mode = config.useClusterServers().getShardedSubscriptionMode();
		return (mode == ShardedSubscriptionMode.AUTO) ? null : Boolean.valueOf(mode == ShardedSubscriptionMode.ON);
	}

	/**
	 * Return the topic of a channel, whose messages are numbers.
	 */
	public CompletionStage<RTopic> topic(String channel) {
		return sharded().thenApply((yes) -> yes ? this.client.getShardedTopic(channel, LongCodec.INSTANCE)
				: this.client.getTopic(channel, LongCodec.INSTANCE));
	}

	/**
	 * Return whether channels are sharded. A server that decides is asked once.
	 */
	CompletionStage<Boolean> sharded() {
		Boolean known = this.sharded;
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		CompletionStage<Boolean> listening = this.firstContact
			.call(() -> this.client.getShardedTopic(PROBE, LongCodec.INSTANCE).countSubscribersAsync())
			.thenApply((count) -> true);
		return Failures
			.orElse(listening, RedissonErrors::isDeniedOrUnknownCommand, () -> CompletableFuture.completedFuture(false))
			.thenApply((answer) -> {
				this.sharded = answer;
				return answer;
			});
	}

}
