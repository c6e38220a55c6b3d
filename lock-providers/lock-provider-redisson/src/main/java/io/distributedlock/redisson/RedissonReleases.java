package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.ReleaseSignal;
import org.redisson.api.RTopic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the channels on which releases are published, by this library or by code
 * that uses Redisson by hand. The client itself keeps the listeners of each channel, so
 * there is no registry here.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class RedissonReleases {

	private static final Logger logger = LoggerFactory.getLogger(RedissonReleases.class);

	/**
	 * By default a client can listen to 250 channels, and the application needs some of
	 * them. Callers that wait for further keys poll.
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
		// the client maps the names of topics, but not the channels of its locks: through
		// a
		// topic such a channel cannot be listened to
		boolean mapped = !this.server.client().getConfig().getNameMapper().map(channel).equals(channel);
		if (mapped || !this.channels.tryAcquire()) {
			return NONE;
		}
		TopicSubscription subscription = new TopicSubscription(channel, this.server.channels().topic(channel),
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

		private final CompletionStage<Listener> listener;

		private TopicSubscription(String channel, CompletionStage<RTopic> topic, Runnable onRelease) {
			this.listener = topic
				.thenCompose((found) -> found.addListenerAsync(Long.class, (name, message) -> onRelease.run())
					.thenApply((id) -> new Listener(found, id)));
			this.listener.whenComplete((added, failure) -> {
				if (failure == null) {
					onRelease.run();
				}
				else {
					logger.debug("Channel {} cannot be subscribed to; waiting calls poll for releases", channel,
							failure);
				}
			});
		}

		@Override
		public void close() {
			this.listener.whenComplete((added, failure) -> {
				if (failure == null) {
					added.topic().removeListenerAsync(added.id());
				}
			});
		}

	}

	/**
	 * A listener of a topic.
	 */
	private record Listener(RTopic topic, int id) {
	}

}
