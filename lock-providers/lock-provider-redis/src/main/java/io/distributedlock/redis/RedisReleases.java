package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.ReleaseListeners;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the channels on which releases are published, all over one connection. A
 * channel is subscribed to while a caller of this node waits for its key. If that is
 * forbidden or fails, the engine polls.
 */
final class RedisReleases implements ReleaseSignal {

	private static final Logger logger = LoggerFactory.getLogger(RedisReleases.class);

	private final ReleaseListeners listeners = new ReleaseListeners(this::unsubscribe);

	private final AtomicReference<@Nullable StatefulRedisPubSubConnection<String, String>> current = new AtomicReference<>();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RedisLink link;

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
				warnOnce(failure);
			}
		});
		return () -> {
			closed.set(true);
			subscription.thenAccept(Subscription::close);
		};
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
				warnOnce(failure);
			}
		});
		return subscription;
	}

	private void listenOn(StatefulRedisPubSubConnection<String, String> connection) {
		if (this.current.getAndSet(connection) != connection) {
			connection.addListener(new Messages(connection));
			// present listeners have subscribed over the connection before
			this.listeners.forEachKey((key) -> connection.async().subscribe(key));
		}
	}

	private void unsubscribe(String key) {
		StatefulRedisPubSubConnection<String, String> connection = this.current.get();
		if (connection != null) {
			connection.async().unsubscribe(key);
		}
	}

	private void warnOnce(Throwable failure) {
		String reason = RedisErrors.translate(failure).getMessage();
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("Channels cannot be subscribed to; waiting calls poll for releases: {}", reason);
		}
		else {
			logger.debug("Channels cannot be subscribed to: {}", reason);
		}
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
			RedisReleases.this.listeners.tell(channel);
		}

		@Override
		public void subscribed(String channel, long count) {
			// also called after a reconnect: releases were missed while the connection
			// was lost
			RedisReleases.this.listeners.tell(channel);
			// a client that refuses commands while it is disconnected has refused the
			// unsubscribe, and subscribes to the channel again once it is connected
			RedisReleases.this.listeners.ifNoneFor(channel, () -> this.connection.async().unsubscribe(channel));
		}

	}

}
