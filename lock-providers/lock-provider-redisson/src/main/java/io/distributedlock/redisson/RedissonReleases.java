package io.distributedlock.redisson;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.ReleaseSignal;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the channels of this JVM, on which grants arrive, and to the channels on
 * which releases are published, by this library or by code that uses Redisson by hand.
 * The client itself keeps the listeners of each channel, so there is no registry here.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class RedissonReleases implements AutoCloseable {

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

	private final ConcurrentHashMap<String, RTopic> own = new ConcurrentHashMap<>();

	RedissonReleases(RedissonServer server) {
		this.server = server;
	}

	/**
	 * Listen to a channel.
	 */
	ReleaseSignal.Subscription listen(String channel, Runnable onRelease) {
		if (isMapped(channel) || !this.channels.tryAcquire()) {
			return NONE;
		}
		TopicSubscription subscription = new TopicSubscription(channel, onRelease);
		AtomicBoolean closed = new AtomicBoolean();
		return () -> {
			if (closed.compareAndSet(false, true)) {
				subscription.close();
				this.channels.release();
			}
		};
	}

	/**
	 * Listen to all releases of a lock that are told to everybody.
	 */
	ReleaseSignal.Subscription listenToAll(String lock, Runnable onRelease) {
		ReleaseSignal.Subscription alone = listen(RedissonNames.channel(lock), onRelease);
		ReleaseSignal.Subscription shared = listen(RedissonNames.sharedChannel(lock), onRelease);
		return () -> {
			alone.close();
			shared.close();
		};
	}

	/**
	 * Listen to a channel of this JVM until this object is closed. On a cluster it is a
	 * plain channel: its name belongs to no slot.
	 * @param onActive called whenever messages begin to arrive
	 */
	CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		if (isMapped(channel)) {
			return CompletableFuture
				.failedFuture(new IllegalStateException("the NameMapper of the client changes the names of channels"));
		}
		RTopic topic = this.own.computeIfAbsent(channel,
				(name) -> this.server.client().getTopic(name, StringCodec.INSTANCE));
		return topic.addListenerAsync(String.class, (name, message) -> onMessage.accept(message))
			.thenCompose((id) -> topic.addListenerAsync(new StatusListener() {
				@Override
				public void onSubscribe(String subscribed) {
					onActive.run();
				}

				@Override
				public void onUnsubscribe(String unsubscribed) {
					// the engine asks at intervals
				}
			}))
			.thenAccept((id) -> onActive.run())
			.whenComplete((done, failure) -> {
				if (failure != null) {
					note(channel, failure);
				}
			});
	}

	/**
	 * Subscribe to a channel and leave it, so that the log says if that is refused. Of
	 * some errors of a server Redisson does not tell, but waits for an answer until it
	 * gives up.
	 */
	void check(String channel) {
		if (isMapped(channel)) {
			return;
		}
		RTopic topic = this.server.client().getTopic(channel, StringCodec.INSTANCE);
		topic.addListenerAsync(String.class, (name, message) -> {
		}).whenComplete((id, failure) -> {
			if (failure == null) {
				topic.removeListenerAsync(id);
			}
			else if (RedissonErrors.isAnswer(failure)) {
				note(channel, failure);
			}
			else {
				this.server.ping().thenAccept((answer) -> this.server.shortfalls().note(Shortfall.SUBSCRIBE, ""));
			}
		});
	}

	private void note(String channel, Throwable failure) {
		// calls of the backend tell of an outage, and of a client that was shut down
		if (RedissonErrors.isAnswer(failure)) {
			this.server.shortfalls().note(Shortfall.SUBSCRIBE, RedissonErrors.words(failure));
		}
		else {
			logger.debug("Channel {} cannot be subscribed to: {}", channel,
					RedissonErrors.translate(failure).getMessage());
		}
	}

	/**
	 * Stop listening to the channels of this JVM.
	 */
	@Override
	public void close() {
		this.own.values().forEach(RTopic::removeAllListenersAsync);
	}

	/**
	 * Return whether the client maps the names of topics. It does not map the channels of
	 * its locks: through a topic such a channel cannot be listened to.
	 */
	private boolean isMapped(String channel) {
		return !this.server.client().getConfig().getNameMapper().map(channel).equals(channel);
	}

	int freeChannels() {
		return this.channels.availablePermits();
	}

	private final class TopicSubscription implements ReleaseSignal.Subscription {

		private final CompletionStage<Listener> listener;

		private TopicSubscription(String channel, Runnable onRelease) {
			this.listener = RedissonReleases.this.server.channels()
				.topic(channel)
				.thenCompose((found) -> found.addListenerAsync(Object.class, (name, message) -> onRelease.run())
					.thenApply((id) -> new Listener(found, id)));
			this.listener.whenComplete((added, failure) -> {
				if (failure == null) {
					onRelease.run();
				}
				else {
					note(channel, failure);
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
