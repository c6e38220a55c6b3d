package io.distributedlock.redisson;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.redisson.api.RScript;

/**
 * Loads scripts into servers that do not know them, and repeats the call. A server
 * forgets its scripts when it restarts, and a node of a cluster that receives a slot may
 * never have known them. Thread-safe.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 */
final class ScriptLoader {

	/**
	 * Between the load and the repeated call the server can forget the script once more,
	 * or another one can become responsible.
	 */
	private static final int MAX_LOADS = 5;

	private final RScript scripts;

	ScriptLoader(RScript scripts) {
		this.scripts = scripts;
	}

	/**
	 * Send a call, and send it again if the server did not know its script, and so has
	 * not executed it.
	 * @param call the call
	 * @param sending sends its digest
	 */
	<R> CompletionStage<R> send(RedissonCall call, Supplier<? extends CompletionStage<R>> sending) {
		return attempt(call, sending, 0);
	}

	private <R> CompletionStage<R> attempt(RedissonCall call, Supplier<? extends CompletionStage<R>> sending,
			int loads) {
		CompletionStage<R> answer = sending.get();
		return (loads == MAX_LOADS) ? answer : Stages.orElse(answer, RedissonErrors::isUnknownScript,
				() -> load(call, loads).thenCompose((loaded) -> attempt(call, sending, loads + 1)));
	}

	/**
	 * Load the script into the node of the key. If that did not help, a node that is
	 * about to receive the slot was asked: then load it into all nodes, of which some may
	 * be down.
	 */
	private CompletionStage<String> load(RedissonCall call, int loads) {
		String source = call.script().source();
		if (loads == 0) {
			return this.scripts.scriptLoadAsync(call.key(), source);
		}
		return Stages.orElse(this.scripts.scriptLoadAsync(source), (failure) -> !RedissonErrors.isReply(failure),
				() -> CompletableFuture.completedFuture(call.script().digest()));
	}

}
