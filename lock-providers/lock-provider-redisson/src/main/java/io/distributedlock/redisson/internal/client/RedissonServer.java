package io.distributedlock.redisson.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.script.CommandTimeouts;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redisson.internal.client.RedissonErrors.NotSentException;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
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
	 * The time of calls without a limit, which need no timer.
	 */
	public static final long LONG_NANOS = TimeUnit.DAYS.toNanos(30);

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
	 * Ask for a lock. If there are replicas and none of them has confirmed the lock, the
	 * call fails, unless the client is configured otherwise.
	 * @param granted whether an answer is a grant
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	public CompletionStage<Long> acquire(RedissonCall call, LongPredicate granted, long giveUpAtNanos) {
		if (this.client.getConfig().isSingleConfig()) {
			return sendThrough(this.once, call, RScript.ReturnType.LONG, giveUpAtNanos);
		}
		return this.firstContact.call(() -> this.loader.send(call,
				(sent) -> this.replicas.send(sent,
						(counting) -> sendThrough(this.once, counting, RScript.ReturnType.LONG, giveUpAtNanos), granted,
						(batch) -> sendNow((batch != null) ? batch : this.once, sent, RScript.ReturnType.LONG,
								giveUpAtNanos))));
	}

	/**
	 * Ask the server, or each master of a cluster, for an answer, as
	 * {@link PlainScripts#PING} does. A service in front of a cluster refuses that, as it
	 * wants a key; the user may have no right to the key that it then gets.
	 * @param channels where to publish an empty message
	 * @return completes with the highest answer
	 */
	public CompletionStage<Long> ping(String... channels) {
		Object[] arguments = Stream.of(channels).map(RedissonCall::bytes).toArray();
		CompletionStage<Long> answers = this.firstContact.call(() -> this.once.<Long>evalAsync(RScript.Mode.READ_WRITE,
				PlainScripts.PING.source(), RScript.ReturnType.LONG, Collections::max, arguments));
		RedissonCall keyed = new RedissonCall(PlainScripts.PING, PINGED, List.of(PINGED), List.of(channels));
		return Stages.orElse(answers,
				(failure) -> this.client.getConfig().isSingleConfig() && RedissonErrors.isAnswer(failure),
				() -> keyed.sendThrough(this.once, RScript.ReturnType.LONG, true));
	}

	public CompletionStage<Long> send(RedissonCall call) {
		return send(call, System.nanoTime() + LONG_NANOS);
	}

	/**
	 * Send a call that answers with a number.
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	public CompletionStage<Long> send(RedissonCall call, long giveUpAtNanos) {
		return sendThrough(this.scripts, call, RScript.ReturnType.LONG, giveUpAtNanos);
	}

	/**
	 * Send a call that answers with a text.
	 * @param onlyOnce whether the client must not send it again, as the first answer may
	 * be lost
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	public CompletionStage<String> sendForText(RedissonCall call, boolean onlyOnce, long giveUpAtNanos) {
		return this
			.<byte[]>sendThrough(onlyOnce ? this.once : this.scripts, call, RScript.ReturnType.VALUE, giveUpAtNanos)
			.thenApply((bytes) -> new String(bytes, StandardCharsets.UTF_8));
	}

	/**
	 * Send a call that answers with a list of texts.
	 */
	public CompletionStage<List<String>> sendForTexts(RedissonCall call) {
		return this
			.<List<byte[]>>sendThrough(this.scripts, call, RScript.ReturnType.LIST, System.nanoTime() + LONG_NANOS)
			.thenApply((texts) -> texts.stream().map((bytes) -> new String(bytes, StandardCharsets.UTF_8)).toList());
	}

	/**
	 * Send calls in one batch, which Redisson divides among the nodes of a cluster. A
	 * call that the server refuses is sent again on its own. On a cluster so is a call
	 * that fails: Redisson fails the calls to all nodes if one node fails.
	 * @param giveUpAtNanos the {@link System#nanoTime()} after which nothing is sent
	 */
	public List<CompletionStage<Long>> sendAll(List<RedissonCall> calls, long giveUpAtNanos) {
		if (calls.size() == 1) {
			return List.of(send(calls.get(0), giveUpAtNanos));
		}
		boolean cluster = this.client.getConfig().isClusterConfig();
		BatchOptions options = BatchOptions.defaults();
		// on a cluster one node without an answer must not delay the calls to the others
		RBatch batch = this.client.createBatch(cluster ? options.retryAttempts(0) : options);
		RScriptAsync batched = batch.getScript(ByteArrayCodec.INSTANCE);
		List<CompletionStage<Long>> answers = new ArrayList<>(calls.size());
		for (RedissonCall call : calls) {
			answers.add(Stages.orElse(
					this.<Long>sendNow(batched, this.loader.readable(call), RScript.ReturnType.LONG, giveUpAtNanos),
					(failure) -> RedissonErrors.isReply(failure) || cluster, () -> send(call, giveUpAtNanos)));
		}
		batch.executeAsync();
		return answers;
	}

	private <R> CompletionStage<R> sendThrough(RScript scripts, RedissonCall call, RScript.ReturnType type,
			long giveUpAtNanos) {
		return this.firstContact
			.call(() -> this.loader.send(call, (sent) -> this.<R>sendNow(scripts, sent, type, giveUpAtNanos)));
	}

	private <R> CompletableFuture<R> sendNow(RScriptAsync scripts, RedissonCall call, RScript.ReturnType type,
			long giveUpAtNanos) {
		long remaining = giveUpAtNanos - System.nanoTime();
		if (remaining <= 0) {
			return CompletableFuture.failedFuture(new NotSentException("Redis did not answer in time", null));
		}
		RedissonCall sent = this.client.getConfig().isClusterConfig() ? call.onCluster() : call;
		CompletableFuture<R> answer = sent.sendThrough(scripts, type, this.loader.sendsWhole());
		if (remaining < LONG_NANOS && !answer.isDone()) {
			// cancels the answer, rather too early than too late, so that the client
			// neither sends nor repeats the command after its caller has given up
			CommandTimeouts.limit(answer, giveUpAtNanos - CommandTimeouts.LATE_NANOS);
		}
		return answer;
	}

	@Override
	public void close() {
		this.firstContact.close();
	}

}
