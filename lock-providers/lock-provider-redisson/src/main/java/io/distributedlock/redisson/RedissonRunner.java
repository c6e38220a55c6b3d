package io.distributedlock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.DelayedTasks;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts through Redisson, with keys as they are in Redis: they were mapped.
 * Listens to the channel of this JVM, on which grants arrive, and to the channels on
 * which releases are published, by this library or by code that uses Redisson by hand.
 * The client itself keeps the listeners of each channel, so there is no registry here.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 */
final class RedissonRunner implements ScriptRunner, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedissonRunner.class);

	/**
	 * By default a client can listen to 250 channels, and the application needs some of
	 * them. Callers that wait for further keys poll.
	 */
	static final int MAX_CHANNELS = 50;

	/**
	 * The pause after a subscription that has failed, as the client itself tries it
	 * several times.
	 */
	private static final Duration AGAIN = Duration.ofSeconds(1);

	private final RedissonServer server;

	private final Semaphore channels = new Semaphore(MAX_CHANNELS);

	private final ConcurrentHashMap<String, RTopic> own = new ConcurrentHashMap<>();

	RedissonRunner(RedissonServer server) {
		this.server = server;
	}

	@Override
	public <T> CompletionStage<T> run(ScriptCall call) {
		return this.server.send(call);
	}

	@Override
	public BackendException translate(Throwable failure) {
		return RedissonErrors.translate(failure);
	}

	@Override
	public boolean isRefusal(Throwable failure) {
		return !RedissonErrors.mayHaveBeenExecuted(failure);
	}

	@Override
	public boolean isReply(Throwable failure) {
		return RedissonErrors.isAnswer(failure);
	}

	/**
	 * A lock is confirmed by replicas in the answer to a call.
	 */
	@Override
	public boolean confirmsGrants() {
		return !this.server.client().getConfig().isSingleConfig();
	}

	@Override
	public Shortfalls shortfalls() {
		return this.server.shortfalls();
	}

	/**
	 * Listen to a channel.
	 */
	ReleaseSignal.Subscription listenTo(String channel, Runnable onRelease) {
		ChannelSubscription subscription = listenLater(channel, onRelease);
		subscription.open();
		return subscription;
	}

	/**
	 * Listen to a channel once the subscription is opened.
	 */
	ChannelSubscription listenLater(String channel, Runnable onRelease) {
		return new ChannelSubscription(channel, onRelease);
	}

	@Override
	public ReleaseSignal.Subscription listen(String key, Runnable onRelease) {
		ReleaseSignal.Subscription alone = listenTo(RedissonNames.channel(key), onRelease);
		ReleaseSignal.Subscription shared = listenTo(RedissonNames.sharedChannel(key), onRelease);
		return () -> {
			alone.close();
			shared.close();
		};
	}

	/**
	 * On a cluster it is a plain channel: its name belongs to no slot.
	 */
	@Override
	public CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
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
					// the first of the two may be there
					topic.removeAllListenersAsync();
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

	/**
	 * A subscription to a channel, which is tried again unless the server refuses it.
	 */
	final class ChannelSubscription implements ReleaseSignal.Subscription {

		private final String channel;

		private final Runnable onRelease;

		private final AtomicReference<@Nullable CompletionStage<Listener>> listener = new AtomicReference<>();

		private volatile boolean closed;

		private ChannelSubscription(String channel, Runnable onRelease) {
			this.channel = channel;
			this.onRelease = onRelease;
		}

		/**
		 * Begin, unless that was done or the subscription has ended.
		 */
		void open() {
			Semaphore free = RedissonRunner.this.channels;
			if (this.closed || this.listener.get() != null || isMapped(this.channel) || !free.tryAcquire()) {
				return;
			}
			if (!subscribe(null)) {
				free.release();
			}
			if (this.closed) {
				close();
			}
		}

		/**
		 * Subscribe, unless something else has come after an attempt that has failed.
		 */
		private boolean subscribe(@Nullable CompletionStage<Listener> failed) {
			if (this.listener.get() != failed) {
				return false;
			}
			CompletionStage<Listener> added = RedissonRunner.this.server.channels()
				.topic(this.channel)
				.thenCompose((topic) -> topic.addListenerAsync(Object.class, (name, message) -> this.onRelease.run())
					.thenApply((id) -> new Listener(topic, id)));
			added.whenComplete((done, failure) -> {
				if (failure == null) {
					this.onRelease.run();
					return;
				}
				note(this.channel, failure);
				if (!RedissonErrors.isAnswer(failure)) {
					DelayedTasks.after(AGAIN).execute(() -> subscribe(added));
				}
			});
			if (this.listener.compareAndSet(failed, added)) {
				return true;
			}
			remove(added);
			return false;
		}

		@Override
		public void close() {
			this.closed = true;
			CompletionStage<Listener> present = this.listener.getAndSet(null);
			if (present != null) {
				remove(present);
				RedissonRunner.this.channels.release();
			}
		}

		private static void remove(CompletionStage<Listener> listener) {
			listener.thenAccept((added) -> added.topic().removeListenerAsync(added.id()));
		}

	}

	/**
	 * A listener of a topic.
	 */
	private record Listener(RTopic topic, int id) {
	}

}
