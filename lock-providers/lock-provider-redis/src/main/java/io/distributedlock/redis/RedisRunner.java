package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal.Subscription;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.ReleaseListeners;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts through Lettuce, and listens to channels, all over one connection: to the
 * channel of this JVM, on which grants arrive, from the first wait on; and to the
 * channels on which releases are published, each while a caller of this node waits for
 * its key outside the line. If that is forbidden or fails, the engine polls.
 */
final class RedisRunner implements ScriptRunner {

	private static final Logger logger = LoggerFactory.getLogger(RedisRunner.class);

	private static final Duration AGAIN = Duration.ofSeconds(1);

	private final ReleaseListeners listeners = new ReleaseListeners(this::unsubscribe);

	private final RedisLink link;

	private volatile @Nullable StatefulRedisPubSubConnection<String, String> current;

	private volatile @Nullable OwnChannel own;

	RedisRunner(RedisLink link) {
		this.link = link;
		link.onNewMessages(this::listenOn);
	}

	@Override
	public <T> CompletionStage<T> run(ScriptCall call) {
		return this.link.send(call);
	}

	@Override
	public BackendException translate(Throwable failure) {
		return RedisErrors.translate(failure);
	}

	@Override
	public boolean isRefusal(Throwable failure) {
		return RedisErrors.isRefusal(failure);
	}

	@Override
	public boolean isReply(Throwable failure) {
		return RedisErrors.isReply(failure);
	}

	@Override
	public Shortfalls shortfalls() {
		return this.link.shortfalls();
	}

	/**
	 * Listen to the releases of a key that are told to all who wait outside the line.
	 */
	Subscription hearReleases(String key, Runnable onRelease) {
		this.link.messages().whenComplete(this::note);
		// a connection that opens meanwhile is the present one, or finds the key
		return this.listeners.add(key, onRelease, () -> subscribe(this.current, key));
	}

	@Override
	public CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		return this.link.messages().whenComplete(this::note).thenCompose((connection) -> {
			if (this.own == null) {
				this.own = new OwnChannel(channel, onMessage);
				this.listeners.add(channel, onActive);
			}
			// a newer connection may have come before the channel was set
			return subscribe(this.current, channel);
		});
	}

	@Override
	public void doubtHearing() {
		this.link.doubtMessages();
	}

	/**
	 * The connection may have been closed with its client, as where the application was
	 * stopped and started.
	 */
	@Override
	public boolean ensureHearing() {
		StatefulRedisPubSubConnection<String, String> connection = this.current;
		if (connection == null || connection.isOpen()) {
			return connection != null;
		}
		this.link.messages();
		return false;
	}

	int channels() {
		return this.listeners.keys();
	}

	/**
	 * Listen over a connection that was just opened, to all that is listened to.
	 */
	private void listenOn(StatefulRedisPubSubConnection<String, String> connection) {
		connection.addListener(new Messages(connection));
		this.current = connection;
		this.listeners.forEachKey((key) -> subscribe(connection, key));
	}

	/**
	 * Subscribe, and do it again later if the server has not heard of it while somebody
	 * listens. Lettuce repeats only what the server had confirmed.
	 */
	private CompletionStage<?> subscribe(@Nullable StatefulRedisPubSubConnection<String, String> connection,
			String channel) {
		return send(connection, (open) -> this.link.limited(open.async().subscribe(channel)))
			.whenComplete((done, failure) -> {
				// an error of the server stays, such as a missing right
				if (failure != null && !RedisErrors.isReply(failure) && !this.link.isClosed()) {
					this.link.doubtMessages();
					DelayedTasks.after(AGAIN)
						.execute(() -> this.listeners.ifAnyFor(channel, () -> subscribe(this.current, channel)));
				}
			});
	}

	private void unsubscribe(String key) {
		send(this.current, (open) -> open.async().unsubscribe(key));
	}

	private CompletionStage<?> send(@Nullable StatefulRedisPubSubConnection<String, String> connection,
			Function<StatefulRedisPubSubConnection<String, String>, CompletionStage<Void>> command) {
		if (connection == null) {
			return CompletableFuture.allOf();
		}
		// a client that is shut down throws
		return CompletableFuture.completedFuture(connection).thenCompose(command).whenComplete(this::note);
	}

	private void note(@Nullable Object done, @Nullable Throwable failure) {
		if (failure != null && RedisErrors.isReply(failure)) {
			this.link.shortfalls().note(Shortfall.SUBSCRIBE, RedisErrors.words(failure));
		}
		else if (failure != null) {
			logger.debug("Channels cannot be subscribed to: {}", RedisErrors.translate(failure).getMessage());
		}
	}

	/**
	 * The channel of this JVM.
	 */
	private record OwnChannel(String name, Consumer<String> onMessage) {
	}

	private final class Messages extends RedisPubSubAdapter<String, String> {

		private final StatefulRedisPubSubConnection<String, String> connection;

		private Messages(StatefulRedisPubSubConnection<String, String> connection) {
			this.connection = connection;
		}

		@Override
		public void message(String channel, String message) {
			OwnChannel heard = RedisRunner.this.own;
			if (heard != null && heard.name().equals(channel)) {
				heard.onMessage().accept(message);
				return;
			}
			RedisRunner.this.listeners.tell(channel);
		}

		@Override
		public void subscribed(String channel, long count) {
			// also called after a reconnect: messages were missed while the connection
			// was lost
			RedisRunner.this.listeners.tell(channel);
			// a client that refuses commands while it is disconnected has refused the
			// unsubscribe, and subscribes to the channel again once it is connected
			RedisRunner.this.listeners.ifNoneFor(channel, () -> this.connection.async().unsubscribe(channel));
		}

		@Override
		public void unsubscribed(String channel, long count) {
			// a command that the thread of the connection sends overtakes those that
			// other threads have given to it
			RedisRunner.this.listeners.ifAnyFor(channel, () -> subscribe(this.connection, channel));
		}

	}

}
