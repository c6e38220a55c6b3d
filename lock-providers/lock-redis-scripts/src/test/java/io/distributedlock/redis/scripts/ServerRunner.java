package io.distributedlock.redis.scripts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.ScriptRunner;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.spi.BackendException;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on a real server at once, on the thread of the caller. The messages of the
 * server arrive when the test delivers them.
 */
final class ServerRunner implements ScriptRunner, AutoCloseable {

	/**
	 * As since Lua 5.3, which a service uses: a text is not compared with a number.
	 */
	private static final String STRICT = "local math = setmetatable({ "
			+ "max = function(a, b) return a < b and b or a end }, { __index = math })\n";

	private final RedisTestServer server;

	private final List<String> warnings = new CopyOnWriteArrayList<>();

	private final Shortfalls shortfalls = new Shortfalls(this.warnings::add);

	private final AtomicInteger subscriptions = new AtomicInteger();

	private volatile boolean refusing;

	private volatile Predicate<ScriptCall> refused = (call) -> false;

	private volatile Predicate<ScriptCall> lost = (call) -> false;

	private volatile @Nullable Inbox inbox;

	private volatile @Nullable Consumer<String> onMessage;

	private volatile Runnable onActive = () -> {
	};

	ServerRunner(RedisTestServer server) {
		this.server = server;
	}

	/**
	 * Refuse to subscribe from now on.
	 */
	void refuseSubscriptions() {
		this.refusing = true;
	}

	/**
	 * Refuse calls from now on, before the server gets them.
	 */
	void refuse(Predicate<ScriptCall> refused) {
		this.refused = refused;
	}

	/**
	 * Lose the answers to calls from now on.
	 */
	void loseAnswers(Predicate<ScriptCall> lost) {
		this.lost = lost;
	}

	int subscriptions() {
		return this.subscriptions.get();
	}

	/**
	 * Return the next message of the server, which has not been delivered.
	 */
	String nextMessage() throws IOException {
		Inbox present = this.inbox;
		if (present == null) {
			throw new IllegalStateException("no channel is subscribed to");
		}
		return present.next();
	}

	/**
	 * Let messages begin to arrive, as after the connection was lost.
	 */
	void reconnect() {
		this.onActive.run();
	}

	List<String> warnings() {
		return this.warnings;
	}

	void deliver(String message) {
		Consumer<String> present = this.onMessage;
		if (present == null) {
			throw new IllegalStateException("no channel is subscribed to");
		}
		present.accept(message);
	}

	/**
	 * Return the command that runs a script.
	 */
	static String[] command(Script script, List<String> keys, List<String> arguments) {
		return Stream.of(List.of("EVAL", STRICT + script.source(), Integer.toString(keys.size())), keys, arguments)
			.flatMap(List::stream)
			.toArray(String[]::new);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletionStage<T> run(ScriptCall call) {
		if (!call.wanted().getAsBoolean()) {
			return CompletableFuture.failedFuture(new BackendException("nobody waits", true, null));
		}
		if (this.refused.test(call)) {
			return CompletableFuture.failedFuture(new BackendException("no connection", true, null));
		}
		String[] command = command(call.script(), call.keys(), call.arguments());
		try {
			Object answer = this.server.command(command);
			return this.lost.test(call) ? CompletableFuture.failedFuture(new IOException("the connection broke"))
					: (CompletionStage<T>) CompletableFuture.completedFuture(answer);
		}
		catch (UncheckedIOException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public BackendException translate(Throwable failure) {
		return new BackendException("the server failed", true, failure);
	}

	@Override
	public boolean isRefusal(Throwable failure) {
		return failure instanceof BackendException;
	}

	@Override
	public boolean isReply(Throwable failure) {
		return failure instanceof UncheckedIOException;
	}

	@Override
	public CompletionStage<?> hear(String channel, Consumer<String> onMessage, Runnable onActive) {
		this.subscriptions.incrementAndGet();
		if (this.refusing) {
			return CompletableFuture.failedFuture(new BackendException("forbidden", false, null));
		}
		try {
			this.inbox = new Inbox(this.server, channel);
			this.onMessage = onMessage;
			this.onActive = onActive;
			return CompletableFuture.completedFuture(null);
		}
		catch (IOException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public Shortfalls shortfalls() {
		return this.shortfalls;
	}

	@Override
	public void close() throws IOException {
		Inbox present = this.inbox;
		if (present != null) {
			present.close();
		}
	}

}
