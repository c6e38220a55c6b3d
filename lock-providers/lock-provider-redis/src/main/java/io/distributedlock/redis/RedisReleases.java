package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.ReleaseListeners;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to channels, all over one connection: to the channel of this JVM, on which
 * grants arrive, from the first wait on; and to the channels on which releases are
 * published, each while a caller of this node waits for its key outside the line. If that
 * is forbidden or fails, the engine polls.
 */
final class RedisReleases implements ReleaseSignal {

	private static final Logger logger = LoggerFactory.getLogger(RedisReleases.class);

	private final ReleaseListeners listeners = new ReleaseListeners(this::unsubscribe);

	private final AtomicReference<@Nullable StatefulRedisPubSubConnection<String, String>> current = new AtomicReference<>();

	private final RedisLink link;

	private volatile @Nullable OwnChannel own;

	RedisReleases(RedisLink link) {
		this.link = link;
		link.onNewMessages(this::listenOn);
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		AtomicBoolean closed = new AtomicBoolean();
		CompletionStage<Subscription> subscription = this.link.messages().thenApply((connection) -> {
			listenOn(connection);
			return closed.get() ? nothing() : subscribe(connection, key, onRelease);
		});
		subscription.whenComplete((done, failure) -> {
			if (failure != null) {
				note(failure);
			}
		});
		return () -> {
			closed.set(true);
			subscription.thenAccept(Subscription::close);
		};
	}

	/**
	 * Listen to a channel from now on.
	 * @param onMessage receives each message
	 * @param onActive called whenever messages begin to arrive
	 * @return fails if the channel cannot be subscribed to
	 */
	CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		CompletionStage<?> subscribed = this.link.messages().thenCompose((connection) -> {
			listenOn(connection);
			this.own = new OwnChannel(channel, onMessage, onActive);
			// another connection may have replaced this one before the channel was set
			StatefulRedisPubSubConnection<String, String> latest = this.current.get();
			return ((latest != null) ? latest : connection).async().subscribe(channel);
		});
		subscribed.whenComplete((done, failure) -> {
			if (failure != null) {
				note(failure);
			}
		});
		return subscribed;
	}

	/**
	 * Subscribe to channels and leave them, so that the log says if that is refused.
	 */
	void check(String... channels) {
		this.link.messages()
			.thenCompose((connection) -> connection.async()
				.subscribe(channels)
				.thenCompose((done) -> connection.async().unsubscribe(channels)))
			.whenComplete((done, failure) -> {
				if (failure != null) {
					note(failure);
				}
			});
	}

	/**
	 * Return whether the connection for messages is there. If it was closed with its
	 * client, as where the application was stopped and started, this opens another one.
	 */
	boolean ensureHearing() {
		StatefulRedisPubSubConnection<String, String> connection = this.current.get();
		if (connection == null || connection.isOpen()) {
			return connection != null;
		}
		this.link.messages().thenAccept(this::listenOn);
		return false;
	}

	int channels() {
		return this.listeners.keys();
	}

	private Subscription subscribe(StatefulRedisPubSubConnection<String, String> connection, String key,
			Runnable onRelease) {
		CompletableFuture<RedisFuture<Void>> sent = new CompletableFuture<>();
		Subscription subscription = this.listeners.add(key, onRelease,
				() -> sent.complete(connection.async().subscribe(key)));
		sent.thenCompose((answer) -> answer).whenComplete((done, failure) -> {
			if (failure == null) {
				onRelease.run();
			}
			else {
				note(failure);
			}
		});
		return subscription;
	}

	private void listenOn(StatefulRedisPubSubConnection<String, String> connection) {
		if (this.current.getAndSet(connection) != connection) {
			connection.addListener(new Messages(connection));
			// present listeners have subscribed over the connection before
			this.listeners.forEachKey((key) -> connection.async().subscribe(key));
			OwnChannel heard = this.own;
			if (heard != null) {
				connection.async().subscribe(heard.name());
			}
		}
	}

	private void unsubscribe(String key) {
		StatefulRedisPubSubConnection<String, String> connection = this.current.get();
		if (connection != null) {
			connection.async().unsubscribe(key);
		}
	}

	private void note(Throwable failure) {
		if (RedisErrors.isReply(failure)) {
			this.link.shortfalls().note(Shortfall.SUBSCRIBE, RedisErrors.words(failure));
		}
		else {
			logger.debug("Channels cannot be subscribed to: {}", RedisErrors.translate(failure).getMessage());
		}
	}

	/**
	 * The channel of this JVM.
	 */
	private record OwnChannel(String name, Consumer<String> onMessage, Runnable onActive) {
	}

	private static Subscription nothing() {
		return () -> {
		};
	}

	private final class Messages extends RedisPubSubAdapter<String, String> {

		private final StatefulRedisPubSubConnection<String, String> connection;

		private Messages(StatefulRedisPubSubConnection<String, String> connection) {
			this.connection = connection;
		}

		@Override
		public void message(String channel, String message) {
			OwnChannel heard = RedisReleases.this.own;
			if (heard != null && heard.name().equals(channel)) {
				heard.onMessage().accept(message);
				return;
			}
			RedisReleases.this.listeners.tell(channel);
		}

		@Override
		public void subscribed(String channel, long count) {
			OwnChannel heard = RedisReleases.this.own;
			if (heard != null && heard.name().equals(channel)) {
				heard.onActive().run();
				return;
			}
			// also called after a reconnect: releases were missed while the connection
			// was lost
			RedisReleases.this.listeners.tell(channel);
			// a client that refuses commands while it is disconnected has refused the
			// unsubscribe, and subscribes to the channel again once it is connected
			RedisReleases.this.listeners.ifNoneFor(channel, () -> this.connection.async().unsubscribe(channel));
		}

	}

}
