package io.distributedlock.redisson.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.redis.scripts.script.Shortfalls.Shortfall;
import io.distributedlock.spi.support.Failures;
import org.redisson.api.RScript;

/**
 * Loads scripts into servers that do not know them, and repeats the call. A server
 * forgets its scripts when it restarts, and a node of a cluster that receives a slot may
 * never have known them. A service may take no digests, or only scripts whose keys it can
 * read: it gets whole scripts, and others, from then on. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @param scripts loads scripts
 * @param shortfalls what the server refuses
 * @param digestsOnly whether Redisson makes a digest of each script by itself
 */
public record ScriptLoader(RScript scripts, Shortfalls shortfalls, boolean digestsOnly) {

	/**
	 * The scripts that use only keys that are their parameters.
	 */
	public static final String DECLARED = "redisson-declared";

	/**
	 * Between the load and the repeated call the server can forget the script once more,
	 * or another one can become responsible.
	 */
	private static final int MAX_LOADS = 5;

	/**
	 * Return whether calls carry their scripts.
	 */
	public boolean sendsWhole() {
		return this.shortfalls.has(Shortfall.EVALSHA);
	}

	/**
	 * Return the call with the script that the server takes.
	 */
	private ScriptCall readable(ScriptCall call) {
		return this.shortfalls.has(Shortfall.UNDECLARED_KEYS) ? call.running(call.script().variant(DECLARED)) : call;
	}

	/**
	 * Send a call, and send it again if the server did not know its script or has refused
	 * it, and so has not executed it.
	 * @param call the call
	 * @param sending sends its digest, or its script if {@link #sendsWhole}
	 */
	public <R> CompletionStage<R> send(ScriptCall call, Function<ScriptCall, CompletionStage<R>> sending) {
		ScriptCall sent = readable(call);
		boolean whole = sendsWhole();
		return Failures.orElse(attempt(sent, sending, 0),
				(failure) -> (!whole && takesNoDigest(failure)) || cannotRead(sent, failure),
				() -> send(call, sending));
	}

	/**
	 * Return whether to send the other script that declares its keys, if there is one
	 * that was not sent yet.
	 */
	private boolean cannotRead(ScriptCall sent, Throwable failure) {
		boolean refused = RedissonErrors.isUnreadable(failure) && sent.script().variant(DECLARED) != sent.script();
		if (refused) {
			this.shortfalls.note(Shortfall.UNDECLARED_KEYS, RedissonErrors.words(failure));
		}
		return refused;
	}

	private boolean takesNoDigest(Throwable failure) {
		boolean refused = !this.digestsOnly && RedissonErrors.refusesDigests(failure);
		if (refused) {
			this.shortfalls.note(Shortfall.EVALSHA, RedissonErrors.words(failure));
		}
		return refused;
	}

	private <R> CompletionStage<R> attempt(ScriptCall call, Function<ScriptCall, CompletionStage<R>> sending,
			int loads) {
		CompletionStage<R> answer = sending.apply(call);
		return (loads == MAX_LOADS) ? answer : Failures.orElse(answer, RedissonErrors::isUnknownScript,
				() -> load(call, loads).thenCompose((loaded) -> attempt(call, sending, loads + 1)));
	}

	/**
	 * Load the script into the node of the key. If that did not help, a node that is
	 * about to receive the slot was asked: then load it into all nodes, of which some may
	 * be down.
	 */
	private CompletionStage<String> load(ScriptCall call, int loads) {
		String source = call.script().source();
		if (loads == 0) {
			return this.scripts.scriptLoadAsync(call.keys().get(0), source);
		}
		return Failures.orElse(this.scripts.scriptLoadAsync(source), (failure) -> !RedissonErrors.isReply(failure),
				() -> CompletableFuture.completedFuture(call.script().digest()));
	}

}
