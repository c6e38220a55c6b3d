package io.distributedlock.redis;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.ReleaseSignal;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the channels on which releases are published, all over one connection: a
 * channel is subscribed to while somebody of this node waits for its key. Where that is
 * forbidden or fails the engine asks at intervals.
 */
final class RedisReleases implements ReleaseSignal {

	private static final Logger logger = LoggerFactory.getLogger(RedisReleases.class);

	private final ConcurrentHashMap<String, Set<Waiter>> waiters = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable StatefulRedisPubSubConnection<String, String>> heard = new AtomicReference<>();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final RedisLink link;

	RedisReleases(RedisLink link) {
		this.link = link;
		link.onNewMessages(this::hear);
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		CompletionStage<StatefulRedisPubSubConnection<String, String>> connection = this.link.messages();
		Waiter waiter = new Waiter(key, onRelease);
		connection.whenComplete((opened, failure) -> {
			if (failure != null) {
				warnOnce(failure);
			}
			else {
				subscribe(opened, waiter);
			}
		});
		return () -> {
			waiter.closed = true;
			connection
				.thenAccept((opened) -> unsubscribe(Objects.requireNonNullElse(this.heard.get(), opened), waiter));
		};
	}

	int channels() {
		return this.waiters.size();
	}

	// commands are sent inside the map's operations, so that those for one channel keep
	// their order
	private void subscribe(StatefulRedisPubSubConnection<String, String> connection, Waiter waiter) {
		hear(connection);
		AtomicReference<@Nullable RedisFuture<Void>> subscribed = new AtomicReference<>();
		this.waiters.compute(waiter.key, (key, current) -> {
			if (waiter.closed) {
				return current;
			}
			Set<Waiter> all = (current != null) ? current : ConcurrentHashMap.newKeySet();
			all.add(waiter);
			subscribed.set(connection.async().subscribe(key));
			return all;
		});
		RedisFuture<Void> answer = subscribed.get();
		if (answer != null) {
			answer.whenComplete((done, failure) -> {
				if (failure == null) {
					waiter.onRelease.run();
				}
				else {
					warnOnce(failure);
				}
			});
		}
	}

	private void hear(StatefulRedisPubSubConnection<String, String> connection) {
		if (this.heard.getAndSet(connection) != connection) {
			connection.addListener(new Listener(connection));
			// those who wait listened to the connection before
			this.waiters.keySet().forEach((key) -> this.waiters.computeIfPresent(key, (channel, all) -> {
				connection.async().subscribe(channel);
				return all;
			}));
		}
	}

	private void unsubscribe(StatefulRedisPubSubConnection<String, String> connection, Waiter waiter) {
		this.waiters.computeIfPresent(waiter.key, (key, all) -> {
			all.remove(waiter);
			if (!all.isEmpty()) {
				return all;
			}
			connection.async().unsubscribe(key);
			return null;
		});
	}

	/**
	 * A client that refuses commands while it is disconnected has refused to leave the
	 * channel, and subscribes to it again once it is connected.
	 */
	private void leaveUnlessWaitedFor(StatefulRedisPubSubConnection<String, String> connection, String key) {
		this.waiters.compute(key, (channel, all) -> {
			if (all == null) {
				connection.async().unsubscribe(channel);
			}
			return all;
		});
	}

	private void warnOnce(Throwable failure) {
		String reason = RedisErrors.translate(failure).getMessage();
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("Messages cannot be listened to: releases are noticed by asking at intervals: {}", reason);
		}
		else {
			logger.debug("Messages cannot be listened to: {}", reason);
		}
	}

	private void wake(String key) {
		this.waiters.getOrDefault(key, Set.of()).forEach((waiter) -> waiter.onRelease.run());
	}

	private static final class Waiter {

		private final String key;

		private final Runnable onRelease;

		private volatile boolean closed;

		private Waiter(String key, Runnable onRelease) {
			this.key = key;
			this.onRelease = onRelease;
		}

	}

	private final class Listener extends RedisPubSubAdapter<String, String> {

		private final StatefulRedisPubSubConnection<String, String> connection;

		private Listener(StatefulRedisPubSubConnection<String, String> connection) {
			this.connection = connection;
		}

		@Override
		public void message(String channel, String message) {
			wake(channel);
		}

		@Override
		public void subscribed(String channel, long count) {
			// also after a lost connection: what was published meanwhile was not heard
			wake(channel);
			leaveUnlessWaitedFor(this.connection, channel);
		}

	}

}
