package io.distributedlock.redis.scripts.script;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;

/**
 * Runs scripts and listens to a channel, through the client of a provider. No method
 * blocks. Thread-safe.
 *
 * @since 0.1
 */
public interface ScriptRunner {

	/**
	 * Run a script.
	 * @param call the script with its keys and arguments
	 * @param <T> the type of the {@linkplain Script#answer() answer}
	 * @return completes with the answer; fails after the command time-out at the latest
	 */
	<T> CompletionStage<T> run(ScriptCall call);

	/**
	 * Translate a failure of {@link #run}.
	 * @param failure the failure
	 * @return what the engine understands
	 */
	BackendException translate(Throwable failure);

	/**
	 * Return whether the server has certainly not executed a script.
	 * @param failure the failure of {@link #run}
	 * @return {@code true} if nothing was executed
	 */
	boolean isRefusal(Throwable failure);

	/**
	 * Return whether the server has answered a script with an error.
	 * @param failure the failure of {@link #run}
	 * @return {@code true} if so; {@code false} if there was no answer
	 */
	boolean isReply(Throwable failure);

	/**
	 * Listen to a channel from now on, also after the connection was lost and is there
	 * again.
	 * @param channel the channel
	 * @param onMessage receives each message
	 * @param onActive called whenever messages begin to arrive: earlier ones may have
	 * been missed
	 * @return fails if the channel cannot be subscribed to, with an
	 * {@link IllegalStateException} if this client never can
	 */
	CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive);

	/**
	 * Listen to releases by owners that were not in the line. Their release hands nothing
	 * over.
	 * @param key the key of the lock in Redis
	 * @param onRelease called at each release, and once as soon as releases are heard
	 * @return ends that
	 */
	default ReleaseSignal.Subscription listen(String key, Runnable onRelease) {
		return () -> {
		};
	}

	/**
	 * Return whether a grant that a message brought must be asked for once more, because
	 * only an answer is as durable as the client wants it.
	 * @return {@code true} if a message is not enough
	 */
	default boolean confirmsGrants() {
		return false;
	}

	/**
	 * Check the connection for messages in the background, as one that the server has
	 * published did not arrive. If the server does not answer, another connection
	 * replaces it. Does nothing if the client checks its connections by itself.
	 */
	default void doubtHearing() {
	}

	/**
	 * Return where to note what the server refuses.
	 * @return the shortfalls of the server
	 */
	Shortfalls shortfalls();

	/**
	 * Return whether messages arrive, as far as the client knows. Opens another
	 * connection if the one for messages was closed.
	 * @return {@code false} if they do not arrive yet
	 */
	default boolean ensureHearing() {
		return true;
	}

}
