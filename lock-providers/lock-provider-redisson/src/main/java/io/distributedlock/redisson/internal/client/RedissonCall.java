package io.distributedlock.redisson.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.ScriptCall;
import org.redisson.api.RScript;
import org.redisson.api.RScriptAsync;

/**
 * One call of a script.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @param script the script
 * @param route the name, before the {@link org.redisson.config.NameMapper} of the client
 * maps it, that decides which node of a cluster is asked
 * @param keys the names of its keys as they are in Redis, all in one hash slot
 * @param needed how many of them are declared to a cluster, see
 * {@link ScriptCall#declaring}
 * @param arguments its arguments
 */
public record RedissonCall(Script script, String route, List<String> keys, int needed, List<String> arguments) {

	public RedissonCall(Script script, String route, List<String> keys, List<String> arguments) {
		this(script, route, keys, keys.size(), arguments);
	}

	/**
	 * Return the call as a cluster gets it.
	 */
	public RedissonCall onCluster() {
		ScriptCall declaring = new ScriptCall(this.script, this.keys, this.arguments).declaring(this.needed);
		return new RedissonCall(this.script, this.route, declaring.keys(), declaring.arguments());
	}

	/**
	 * Return the call as a service gets it that takes only scripts whose keys it can
	 * read.
	 */
	public RedissonCall withDeclaredKeys() {
		return new RedissonCall(RedissonScript.withDeclaredKeys(this.script), this.route, this.keys, this.needed,
				this.arguments);
	}

	/**
	 * Return the key that decides which node of a cluster is asked.
	 */
	public String key() {
		return this.keys.get(0);
	}

	/**
	 * Send the script.
	 * @param <R> the type of the answer, a {@link Long} or a list of them
	 * @param scripts the scripts of the client or of a batch, with the codec
	 * {@link org.redisson.client.codec.ByteArrayCodec}
	 * @param answer the type of the answer as Redisson names it
	 * @param whole whether the source is sent, as the server takes no digest
	 * @return completes with the answer; once cancelled, Redisson neither sends nor
	 * repeats the call
	 */
	public <R> CompletableFuture<R> sendThrough(RScriptAsync scripts, RScript.ReturnType answer, boolean whole) {
		List<Object> names = new ArrayList<>(this.keys.size());
		for (String key : this.keys) {
			// Redisson would map a string once more
			names.add(bytes(key));
		}
		Object[] values = new Object[this.arguments.size()];
		for (int i = 0; i < values.length; i++) {
			values[i] = bytes(this.arguments.get(i));
		}
		RScript.Mode mode = RScript.Mode.READ_WRITE;
		return (whole ? scripts.<R>evalAsync(this.route, mode, this.script.source(), answer, names, values)
				: scripts.<R>evalShaAsync(this.route, mode, this.script.digest(), answer, names, values))
			.toCompletableFuture();
	}

	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
