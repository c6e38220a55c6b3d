package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.ReleaseSignal;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.LongCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the channel on which Redisson's locks publish a release, whoever releases
 * them: this library or code that uses Redisson by hand.
 */
final class RedissonReleases {

	private static final Logger logger = LoggerFactory.getLogger(RedissonReleases.class);

	/**
	 * A client has room for 250 channels as it is set up by default, and the application
	 * needs some of them: a crowd that waits for more keys than this polls.
	 */
	static final int MAX_CHANNELS = 50;

	private static final ReleaseSignal.Subscription NONE = () -> {
	};

	private final RedissonServer server;

	private final Semaphore channels = new Semaphore(MAX_CHANNELS);

	RedissonReleases(RedissonServer server) {
		this.server = server;
	}

	/**
	 * Listen to a channel.
	 */
	ReleaseSignal.Subscription listen(String channel, Runnable onRelease) {
		// the client maps the names of topics too, but not those of the channels of its
		// locks
		boolean mapped = !this.server.client().getConfig().getNameMapper().map(channel).equals(channel);
		if (mapped || !this.channels.tryAcquire()) {
			return NONE;
		}
		RedissonClient client = this.server.client();
		// never both: the client knows a channel by its name alone, and would listen to
		// the first of them
		TopicSubscription subscription = new TopicSubscription(this.server.hasShardedChannels()
				? client.getShardedTopic(channel, LongCodec.INSTANCE) : client.getTopic(channel, LongCodec.INSTANCE),
				onRelease);
		AtomicBoolean closed = new AtomicBoolean();
		return () -> {
			if (closed.compareAndSet(false, true)) {
				subscription.close();
				this.channels.release();
			}
		};
	}

	int freeChannels() {
		return this.channels.availablePermits();
	}

	private static final class TopicSubscription implements ReleaseSignal.Subscription {

		private final RTopic topic;

		private final CompletionStage<Integer> listener;

		private TopicSubscription(RTopic topic, Runnable onRelease) {
			this.topic = topic;
			this.listener = topic.addListenerAsync(Long.class, (channel, message) -> onRelease.run());
			this.listener.whenComplete((id, failure) -> {
				if (failure == null) {
					onRelease.run();
				}
				else {
					logger.debug("No subscription to {}: releases are noticed by polling", topic.getChannelNames(),
							failure);
				}
			});
		}

		@Override
		public void close() {
			this.listener.whenComplete((id, failure) -> {
				if (failure == null) {
					this.topic.removeListenerAsync(id);
				}
			});
		}

	}

}
