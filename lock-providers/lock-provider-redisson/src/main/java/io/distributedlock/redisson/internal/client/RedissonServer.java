package io.distributedlock.redisson.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.CommandTimeouts;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.Script.Answer;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redisson.internal.client.RedissonErrors.NotSentException;
import io.distributedlock.spi.support.Failures;
import org.redisson.api.RScript;
import org.redisson.api.RScriptAsync;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.codec.ByteArrayCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends scripts through Redisson, by their digest. Only Redisson's public API is used, so
 * the client may be a wrapper of another one. Thread-safe. No method blocks.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md,
 * docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class RedissonServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedissonServer.class);

	/**
	 * The time of calls without a limit, or with one that is far: a timer for it would
	 * stay for that long.
	 */
	private static final long LONG_NANOS = TimeUnit.DAYS.toNanos(30);

	/**
	 * The scripts that publish on sharded channels.
	 */
	private static final String SHARDED = "redisson-sharded";

	private static final String PINGED = "redisson_lock_token:{ping}";

	private final RedissonClient client;

	private final Shortfalls shortfalls = new Shortfalls(logger::warn);

	/**
	 * Sends a command again after a failure, as the client is configured.
	 */
	private final RScript scripts;

	/**
	 * Sends a command once. The engine asks for a lock again by itself, and the meaning
	 * of a failure is clear only if one command was sent.
	 */
	private final RScript once;

	private final ScriptLoader loader;

	private final SyncedReplicas replicas;

	private final FirstConnection firstContact = new FirstConnection();

	private final ReleaseChannels channels;

	public RedissonServer(RedissonClient client) {
		this.client = client;
		// values on the heap: Redisson does not free those of a batch for which it finds
		// no node
		this.scripts = client.getScript(ByteArrayCodec.INSTANCE);
		this.once = client.getScript(OptionalOptions.defaults().codec(ByteArrayCodec.INSTANCE).retryAttempts(0));
		this.loader = new ScriptLoader(this.once, this.shortfalls, client.getConfig().isUseScriptCache());
		this.replicas = new SyncedReplicas(client, this.shortfalls);
		this.channels = new ReleaseChannels(client, this.firstContact);
	}

	public RedissonClient client() {
		return this.client;
	}

	/**
	 * Return what the server refuses.
	 */
	public Shortfalls shortfalls() {
		return this.shortfalls;
	}

	public ReleaseChannels channels() {
		return this.channels;
	}

	/**
	 * Ask the server, or each master of a cluster, for an answer, as
	 * {@link PlainScripts#PING} does. A service in front of a cluster refuses that, as it
	 * wants a key; the user may have no right to the key that it then gets.
	 * @param channels where to publish an empty message
	 * @return completes with the highest answer
	 */
	public CompletionStage<Long> ping(String... channels) {
		Object[] arguments = bytes(List.of(channels));
		CompletionStage<Long> answers = this.firstContact.call(() -> this.once.<Long>evalAsync(RScript.Mode.READ_WRITE,
				PlainScripts.PING.source(), RScript.ReturnType.LONG, Collections::max, arguments));
		ScriptCall keyed = new ScriptCall(PlainScripts.PING, List.of(PINGED), List.of(channels));
		return Failures.orElse(answers,
				(failure) -> this.client.getConfig().isSingleConfig() && RedissonErrors.isAnswer(failure),
				() -> evaluate(this.once, keyed, true));
	}

	/**
	 * Send a call. If it asks for a lock, it is sent once. If then there are replicas and
	 * none of them has confirmed the lock, the call fails, unless the client is
	 * configured otherwise.
	 * @param <T> the type of the {@linkplain Script#answer() answer}
	 */
	@SuppressWarnings("unchecked")
	public <T> CompletionStage<T> send(ScriptCall call) {
		return this.channels.sharded()
			.thenCompose((sharded) -> load(sharded ? call.running(call.script().variant(SHARDED)) : call,
					this::sendReadable))
			.thenApply((answer) -> (T) switch (call.script().answer()) {
				case NUMBER -> answer;
				case TEXT -> text(answer);
				case TEXTS -> ((List<?>) answer).stream().map(RedissonServer::text).toList();
			});
	}

	private <R> CompletionStage<R> load(ScriptCall call, Function<ScriptCall, CompletionStage<R>> sending) {
		return this.firstContact.call(() -> this.loader.send(call, sending));
	}

	@SuppressWarnings("unchecked")
	private CompletionStage<Object> sendReadable(ScriptCall call) {
		if (!call.asks()) {
			return sendNow(this.scripts, call);
		}
		if (this.client.getConfig().isSingleConfig() || call.script().answer() != Answer.NUMBER) {
			return sendNow(this.once, call);
		}
		CompletionStage<?> confirmed = this.replicas.send(call,
				(counting) -> load(counting, (sent) -> sendNow(this.once, sent)),
				(batch) -> sendNow((batch != null) ? batch : this.once, call));
		return (CompletionStage<Object>) confirmed;
	}

	private <R> CompletableFuture<R> sendNow(RScriptAsync through, ScriptCall call) {
		long giveUpAt = call.giveUpAtNanos().orElse(0);
		long remaining = call.giveUpAtNanos().isPresent() ? giveUpAt - System.nanoTime() : LONG_NANOS;
		if (remaining <= 0 || !call.wanted().getAsBoolean()) {
			return CompletableFuture.failedFuture(new NotSentException("Redis did not answer in time", null));
		}
		CompletableFuture<R> answer = evaluate(through, call, this.loader.sendsWhole());
		if (remaining < LONG_NANOS && !answer.isDone()) {
			// cancels the answer, rather too early than too late, so that the client
			// neither sends nor repeats the command after its caller has given up
			CommandTimeouts.limit(answer, giveUpAt - CommandTimeouts.LATE_NANOS);
		}
		return answer;
	}

	/**
	 * Send a script.
	 * @param through the scripts of the client or of a batch
	 * @param whole whether the source is sent, as the server takes no digest
	 * @return completes with the answer; once cancelled, Redisson neither sends nor
	 * repeats the call
	 */
	private <R> CompletableFuture<R> evaluate(RScriptAsync through, ScriptCall call, boolean whole) {
		Script script = call.script();
		RScript.ReturnType type = switch (script.answer()) {
			case NUMBER -> RScript.ReturnType.LONG;
			case TEXT -> RScript.ReturnType.VALUE;
			case TEXTS -> RScript.ReturnType.LIST;
		};
		// Redisson maps this name, which decides which node of a cluster is asked; it
		// would map each key that is a string
		String route = this.client.getConfig().getNameMapper().unmap(call.keys().get(0));
		List<Object> keys = List.of(bytes(call.keys()));
		Object[] arguments = bytes(call.arguments());
		RScript.Mode mode = RScript.Mode.READ_WRITE;
		return (whole ? through.<R>evalAsync(route, mode, script.source(), type, keys, arguments)
				: through.<R>evalShaAsync(route, mode, script.digest(), type, keys, arguments))
			.toCompletableFuture();
	}

	private static Object[] bytes(List<String> texts) {
		return texts.stream().map((text) -> text.getBytes(StandardCharsets.UTF_8)).toArray();
	}

	private static String text(Object bytes) {
		return new String((byte[]) bytes, StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.firstContact.close();
	}

}
